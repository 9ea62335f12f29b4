"""Files that come with the program: icons, schemas, plans, templates; read through importlib.resources."""
