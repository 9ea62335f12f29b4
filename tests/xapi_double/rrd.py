"""Metrics as XAPI has printed them: one XML in every version, and three forms of JSON (lib/rrd_updates.ml)."""

import json
import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

GENERATIONS = ("xcp-rrd 1.9", "xcp-rrd 1.10", "xen-api 24.11")
STEP_S = 5


@dataclass
class Metrics:
    """What a host has recorded.

    Attributes:
        legend: `AVERAGE:vm:UUID:cpu0` and so on.
        rows: Moment and one value for each entry of the legend, oldest first.
    """

    legend: list = field(default_factory=list)
    rows: list = field(default_factory=list)


def answer(metrics, query, generation, accepts):
    """Return what a host answers to `/rrd_updates`, and its type; newest first."""
    start_s, consolidated = int(query["start"][0]), query["cf"][0]
    last_s = max((moment_s for moment_s, _ in metrics.rows), default=0)
    after_s = start_s + last_s if start_s < 0 else start_s
    kept = [column for column, name in enumerate(metrics.legend) if _asked_for(name, query, consolidated)]
    legend = [metrics.legend[column] for column in kept]
    rows = [(moment_s, [values[column] for column in kept]) for moment_s, values in metrics.rows if moment_s >= after_s]
    rows.sort(key=lambda row: row[0], reverse=True)
    # `Accept` counts since 23.17: anything that a JSON would satisfy, `*/*` among it.
    wants_json = "json" in query or (generation == GENERATIONS[2] and ("json" in accepts or "*/*" in accepts))
    return (_json(legend, rows, generation), "application/json") if wants_json else (xml(legend, rows), "text/xml")


def xml(legend, rows):
    meta = "".join(f"<{name}>{value}</{name}>" for name, value in _meta(legend, rows).items())
    names = "".join(f"<entry>{escape(name)}</entry>" for name in legend)
    data = "".join(
        f"<row><t>{moment_s}</t>{''.join(f'<v>{shown(value)}</v>' for value in values)}</row>"
        for moment_s, values in rows
    )
    text = f"<xport><meta>{meta}<legend>{names}</legend></meta><data>{data}</data></xport>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()


def shown(value):
    """Write a number as XAPI does; text is left as it is."""
    if isinstance(value, str):
        return value
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.4f}" if value else "0.0"


def _asked_for(name, query, consolidated):
    kind = name.split(":")[1]
    return name.startswith(f"{consolidated}:") and (kind != "host" or query.get("host") == ["true"])


def _meta(legend, rows):
    moments_s = [moment_s for moment_s, _ in rows] or [0]
    meta = {"start": min(moments_s), "step": STEP_S, "end": max(moments_s)}
    return {**meta, "rows": len(rows), "columns": len(legend)}


def _json(legend, rows, generation):
    if generation == GENERATIONS[0]:  # no JSON: its keys have no quotes, nor has NaN
        meta = ",".join(f"{name}:{value}" for name, value in _meta(legend, rows).items())
        names = ",".join(f'"{name}"' for name in legend)
        data = ",".join(
            f"{{t:{moment_s},values:[{','.join(shown(value) for value in values)}]}}" for moment_s, values in rows
        )
        return f"{{meta: {{{meta},legend:[{names}]}},data:[{data}]}}".encode()
    data = [{"t": moment_s, "values": [shown(value) for value in values]} for moment_s, values in rows]
    meta = {**_meta(legend, rows), "legend": legend}
    whole = {"meta": meta, "data": data} if generation == GENERATIONS[2] else {"meta": {**meta, "data": data}}
    return json.dumps(whole).encode()
