"""Settings of Sphinx for the documentation as a site (`make docs`)."""

project = "DomTune"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4  # links between pages name headings
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "DomTune"
html_logo = "../../resources/domtune.svg"
html_favicon = "../../resources/domtune.svg"
html_copy_source = False
html_show_copyright = False
