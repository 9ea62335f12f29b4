"""What a new sweep begins with."""

from app.settings import Settings
from app.wizard.sweep_form import SweepForm


def new_sweep_form(settings: Settings, host: str = "") -> SweepForm:
    """Return the form that a new sweep begins with: a host, or else the last one, and the defaults of the settings."""
    form = SweepForm(host=host or next(iter(settings.recent_hosts), SweepForm.host))
    for load in form.loads.values():
        load.users = str(settings.users)
    if settings.measure_s:
        form.windows[form.protocol].measure_s = str(settings.measure_s)
    return form
