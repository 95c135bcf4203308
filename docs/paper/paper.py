#!/usr/bin/env python3
"""Fills the tables of docs/validation.md and draws the figures from the CSVs in this folder.

paper.py tables PAGE       rewrites PAGE; what stands between its markers comes from the CSVs alone
paper.py figures FOLDER    draws NAME.svg and NAME.png in FOLDER, with gnuplot

A table of the page stands between the lines `<!-- table NAME -->` and `<!-- end of table -->`.
"""

import csv
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NETWORKS = {"vgg16": "VGG16", "resnet50": "ResNet50"}
ARRAYS = ["32x32", "64x64", "128x128", "256x256"]
BATCHES = [16, 32, 64, 128, 256]
PROCESSORS = range(2, 13)


# Reading.


def read(name):
    with open(HERE / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(row, column):
    return float(row[column])


def select(rows, **values):
    """The rows whose columns have these values; a list of values is any of them."""

    def fits(row):
        return all(
            row[column] in [str(v) for v in (value if isinstance(value, list) else [value])]
            for column, value in values.items()
        )

    return [row for row in rows if fits(row) and row["status"] == "ok"]


def one(rows, **values):
    (row,) = select(rows, **values)
    return row


# What two schedules share when they are compared.
PLACE = [
    "workload", "batch", "processors", "array", "bandwidth_bytes_per_second",
    "weight_gradient_dataflow", "input_gradient",
]


def pairs(rows, base="pipedream", other="layerpipe", base_rows=None):
    """(row of base, row of other) for every point that both have."""

    def place(row):
        return tuple(row[column] for column in PLACE)

    first = {place(row): row for row in select(base_rows or rows, schedule=base)}
    return [(first[place(row)], row) for row in select(rows, schedule=other) if place(row) in first]


def gain(pair, column="period_cycles"):
    """Percent by which the second schedule is faster."""
    return 100 * (number(pair[0], column) / number(pair[1], column) - 1)


def excess(row):
    """Percent of the slowest processor's cycles by which the period exceeds them."""
    return 100 * (number(row, "period_cycles") / number(row, "slowest_processor_cycles") - 1)


def misses(row):
    """Means of runs that are not exact may differ by less than 1 %."""
    return excess(row) > 1


def speed_up(row):
    """Over one processor."""
    return number(row, "one_processor_cycles") / number(row, "period_cycles")


def balance(row):
    """Percent of their time that all given processors would work if the slowest never waited."""
    busy = number(row, "one_processor_cycles")
    return 100 * busy / (number(row, "slowest_processor_cycles") * number(row, "processors"))


def mean(values):
    return statistics.fmean(values)


# Writing.


def count(value):
    return f"{round(value):,}"


def size(value):
    for unit, scale in [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)]:
        if value >= scale:
            return f"{value / scale:.1f} {unit}"
    return f"{value:.0f} B"


def table(header, rows):
    """Markdown; all columns but the first are numbers."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1)] + rows
    return "\n".join("| " + " | ".join(str(field) for field in line) + " |" for line in lines)


# Tables.


def sample_layers():
    rows = []
    for layer in read("sample-profile"):
        cycles = [layer[f"{operation}_cycles"]
                  for operation in ["forward", "input_gradient", "weight_gradient"]]
        rows.append([layer["name"]] + [count(int(c)) for c in cycles])
    return table(["Layer", "FP", "delta", "G"], rows)


def sample_schedules():
    rows = []
    points = select(read("sample"), bandwidth_bytes_per_second="64000000000")
    base = one(points, schedule="pipedream", split="ideal")
    for row in points:
        if row["schedule"] == "pipedream" and row["split"] != "ideal":
            continue
        saved = 1 - number(row, "period_cycles") / number(base, "period_cycles")
        rows.append([
            row["schedule"], row["split"] if row is not base else "-",
            count(number(row, "slowest_processor_cycles")), count(number(row, "period_cycles")),
            f"{100 * saved:.1f} %", size(number(row, "mandatory_bytes_per_minibatch")),
            size(number(row, "additional_weights_bytes_per_minibatch")),
            size(number(row, "additional_gradients_bytes_per_minibatch")),
        ])
    return table(["Schedule", "Split", "Slowest processor", "Period", "Less time", "Mandatory",
                  "Additional weights", "Additional gradients"], rows)


def processors_table():
    points = pairs(read("speedup"))
    free = pairs(read("free"))
    rows = []
    for processors in [*PROCESSORS, "all"]:
        row = [processors]
        for network in NETWORKS:
            without_links = [gain(p) for p in free if p[0]["workload"] == network
                             and processors in ("all", int(p[0]["processors"]))]
            some = [p for p in points if p[0]["workload"] == network
                    and processors in ("all", int(p[0]["processors"]))]
            added = [mean(number(p[1], f"additional_{kind}_bytes_per_minibatch") for p in some)
                     for kind in ["weights", "gradients"]]
            base = mean(number(p[0], "mandatory_bytes_per_minibatch") for p in some)
            all_bytes = mean(number(p[1], "mandatory_bytes_per_minibatch") for p in some)
            row += [f"{mean(map(gain, some)):.1f} %", f"{mean(without_links):.1f} %",
                    f"{max(without_links):.1f} %", size(added[0]), size(added[1]),
                    f"{(all_bytes + sum(added)) / base:.2f}"]
        rows.append(row)
    header = ["Processors"]
    for name in NETWORKS.values():
        header += [f"{name}: gain", "with free links", "at most", "weights", "gradients",
                   "bytes sent, of PipeDream's"]
    return table(header, rows)


def averages(column, values):
    points = pairs(read("speedup"))
    rows = []
    for value in values:
        row = [value]
        for network in NETWORKS:
            some = [p for p in points
                    if p[0]["workload"] == network and p[0][column] == str(value)]
            gains = [gain(p) for p in some]
            row += [f"{mean(gains):.1f} %", f"{max(gains):.1f} %"]
        rows.append(row)
    header = [column.capitalize()]
    for name in NETWORKS.values():
        header += [f"{name}: mean", "largest"]
    return table(header, rows)


def static_sums():
    rows = []
    for network, title in NETWORKS.items():
        for schedule in ["pipedream", "layerpipe"]:
            row = [f"{title}, {schedule}"]
            for name in ["speedup", "free"]:
                some = select(read(name), workload=network, schedule=schedule)
                over = [excess(r) for r in some]
                row += [f"{sum(map(misses, some))} of {len(over)}", f"{mean(over):.2f} %",
                        f"{max(over):.2f} %", sum(r["exact"] != "true" for r in some)]
            rows.append(row)
    return table(["", "64 GB/s: missed by 1 %", "mean", "most", "not exact",
                  "free links: missed by 1 %", "mean", "most", "not exact"], rows)


def claims():
    linked, free = pairs(read("speedup")), pairs(read("free"))

    def gains(points, reduce=mean, **values):
        return f"{reduce([gain(p) for p in points if select([p[0]], **values)]):.1f} %"

    def two(**values):
        return [gains(linked, **values), gains(free, **values)]

    def added(*kinds):
        column = "additional_{}_bytes_per_minibatch"
        return [size(mean(sum(number(p[1], column.format(kind)) for kind in kinds)
                          for p in points)) for points in [linked, free]]

    rows = [
        ["gain, mean of all points", "43 % (Table IV), 25 % (abstract)"] + two(),
        ["gain with 7 to 9 processors, mean", "above 80 %"] + two(processors=[7, 8, 9]),
        ["largest gain of a point", "-", gains(linked, max), gains(free, max)],
        ["smallest gain of a point", "-", gains(linked, min), gains(free, min)],
        ["gain with arrays of 32x32, mean", "larger"] + two(array="32x32"),
        ["gain with arrays of 256x256, mean", "smaller"] + two(array="256x256"),
        ["gain with batches of 16, mean", "the same"] + two(batch=16),
        ["gain with batches of 256, mean", "the same"] + two(batch=256),
        ["additional weights of a minibatch, mean", "some kB"] + added("weights"),
        ["all additional bytes, mean", "not counted"] + added("weights", "gradients"),
    ]
    return table(["", "the paper", "links of 64 GB/s", "free links"], rows)


def stall_causes():
    causes = ["activation", "gradient", "weights", "weight_version", "channel", "sharing"]
    rows = []
    for network, title in NETWORKS.items():
        for schedule in ["pipedream", "layerpipe"]:
            some = [r for r in select(read("speedup"), workload=network, schedule=schedule)
                    if misses(r)]
            full = sum(number(r, "busiest_link_fraction") > 0.8 for r in some)
            row = [f"{title}, {schedule}", len(some), full]
            for cause in causes:
                shares = [100 * number(r, f"stall_{cause}_cycles")
                          / (number(r, "makespan_cycles") * number(r, "processors_used"))
                          for r in some]
                row.append(f"{mean(shares):.2f} %" if shares else "-")
            rows.append(row)
    return table(["", "points", "with a link busy above 80 %"] + [c.replace("_", " ") for c in causes], rows)


def optimum():
    rows = []
    points = pairs(read("processors"), base="layerpipe", other="layerpipe-optimal")
    for processors in range(1, 17):
        row = [processors]
        for network in NETWORKS:
            some = [p for p in points if p[0]["workload"] == network
                    and p[0]["processors"] == str(processors)]
            static = [gain(p, "slowest_processor_cycles") for p in some]
            simulated = [gain(p) for p in some]
            row += [f"{mean(static):.2f} %", f"{max(static):.2f} %",
                    f"{mean(simulated):.2f} %", f"{max(simulated):.2f} %"]
        rows.append(row)
    header = ["Processors"]
    for name in NETWORKS.values():
        header += [f"{name}: slowest processor, mean", "most", "period, mean", "most"]
    return table(header, rows)


def splits():
    rows = []
    base = select(read("speedup"), batch="32")
    points = read("splits")
    for network, title in NETWORKS.items():
        for array in ARRAYS:
            row = [f"{title}, {array}"]
            for schedule in ["layerpipe", "layerpipe-optimal"]:
                for split in ["ideal", "channels", "batch"]:
                    some = select(points, workload=network, array=array, split=split)
                    gains = [gain(p) for p in pairs(some, other=schedule, base_rows=base)]
                    row.append(f"{mean(gains):.1f} %")
            rows.append(row)
    header = [""]
    for schedule in ["layerpipe", "optimal"]:
        header += [f"{schedule}: ideal", "channels", "batch"]
    return table(header, rows)


def undivided():
    """Layers whose input gradient cannot be divided to any use, by array and split."""
    rows = []
    for network, title in NETWORKS.items():
        for array in ARRAYS:
            row = [f"{title}, {array}"]
            for split in ["channels", "batch"]:
                layers = [r for r in read(f"{network}-{array}-{split}") if int(r["forward_cycles"])]
                lendable = [r for r in layers if r["split_obstacle"] or r["half_lent_cycles"]]
                useless = [r for r in lendable if r["split_obstacle"]]
                cycles = sum(int(r["input_gradient_cycles"]) for r in lendable)
                lost = sum(int(r["input_gradient_cycles"]) for r in useless)
                row += [f"{len(useless)} of {len(lendable)}", f"{100 * lost / cycles:.1f} %"]
            rows.append(row)
    return table(["", "channels: layers", "cycles of delta", "batch: layers", "cycles of delta"],
                 rows)


def break_even():
    rows = []
    points = pairs(read("bandwidth"))
    for network, title in NETWORKS.items():
        for array in ["32x32", "128x128"]:
            for processors in ["4", "8"]:
                some = sorted(
                    (number(p[0], "bandwidth_bytes_per_second") / 1e9, gain(p))
                    for p in points
                    if (p[0]["workload"], p[0]["array"], p[0]["processors"])
                    == (network, array, processors)
                )
                worse = [bandwidth for bandwidth, g in some if g < 0]
                half = [bandwidth for bandwidth, g in some if g >= 0.9 * some[-1][1]]
                rows.append([f"{title}, {array}, {processors} processors",
                             f"{max(worse):g}" if worse else "none", f"{min(half):g}",
                             f"{some[-1][1]:.1f} %"])
    return table(["", "largest bandwidth at which LayerPipe is slower",
                  "smallest at which it has 90 % of its gain", "gain at 1000"], rows)


def dataflows():
    rows = []
    points = read("dataflows")
    some_processors = [2, 4, 8, 11, 12, 16]
    for network, title in NETWORKS.items():
        for gradient in ["weight-stationary", "input-stationary", "output-stationary"]:
            for mapping in ["convolution", "gemm"]:
                place = {"workload": network, "weight_gradient_dataflow": gradient,
                         "input_gradient": mapping}
                rows_of = {p: one(points, schedule="layerpipe", processors=p, **place)
                           for p in [2, 4, 6, 8, 10, 11, 12, 14, 16]}
                enough = min(p for p, row in rows_of.items()
                             if speed_up(row) >= 0.99 * speed_up(rows_of[16]))
                gains = [gain(p) for p in pairs(select(points, **place))]
                rows.append(
                    [f"{title}, {gradient}, {mapping}",
                     count(number(rows_of[2], "one_processor_cycles"))]
                    + [f"{speed_up(rows_of[p]):.2f}" for p in some_processors]
                    + [enough, f"{mean(gains):.1f} %"]
                )
    return table(["G, delta", "one processor, cycles"] + [f"{p} processors" for p in some_processors]
                 + ["no gain past", "mean gain over PipeDream"], rows)


def balances():
    rows = []
    points = read("speedup")
    for processors in PROCESSORS:
        row = [processors]
        for network in NETWORKS:
            for schedule in ["pipedream", "layerpipe"]:
                some = select(points, workload=network, schedule=schedule, processors=processors)
                row.append(f"{mean(map(balance, some)):.1f} %")
        rows.append(row)
    header = ["Processors"]
    for name in NETWORKS.values():
        header += [f"{name}: pipedream", "layerpipe"]
    return table(header, rows)


TABLES = {
    "sample-layers": sample_layers,
    "sample-schedules": sample_schedules,
    "processors": processors_table,
    "arrays": lambda: averages("array", ARRAYS),
    "batches": lambda: averages("batch", BATCHES),
    "static-sums": static_sums,
    "claims": claims,
    "stall-causes": stall_causes,
    "optimum": optimum,
    "splits": splits,
    "undivided": undivided,
    "break-even": break_even,
    "dataflows": dataflows,
    "balances": balances,
}


def fill(text):
    """`text` with all its tables made anew."""
    lines = []
    inside = False
    for line in text.splitlines():
        if line == "<!-- end of table -->":
            inside = False
        if not inside:
            lines.append(line)
        if line.startswith("<!-- table "):
            lines.append(TABLES[line.split()[2]]())
            inside = True
    return "\n".join(lines) + "\n"


# Figures. Curves differ in dashes and points as well as in colour; colours are of Okabe and Ito's
# palette, which the colour-blind can tell apart, and differ in brightness.

STYLES = [
    ("#000000", 7, 1), ("#d55e00", 5, 2), ("#0072b2", 9, 4), ("#e69f00", 13, 5), ("#56b4e9", 11, 3),
    ("#009e73", 6, 8),
]
BARS = [("#000000", "solid"), ("#56b4e9", "solid"), ("#d55e00", "pattern 2")]


def curves(points, xlabel, ylabel, settings=""):
    """gnuplot commands; `points` is {title: [(x, y), ...]}."""
    blocks = ""
    plots = []
    for i, (title, values) in enumerate(points.items()):
        color, point, dash = STYLES[i]
        blocks += f"$curve{i} << END\n" + "".join(f"{x} {y}\n" for x, y in values) + "END\n"
        plots.append(
            f"$curve{i} using 1:2 with linespoints linewidth 2 pointsize 0.8 linecolor rgb "
            f"'{color}' pointtype {point} dashtype {dash} title '{title}'"
        )
    return (f"{blocks}set xlabel '{xlabel}'\nset ylabel '{ylabel}'\nset grid\n{settings}\n"
            f"plot {', '.join(plots)}\n")


def bars(names, columns, ylabel):
    """gnuplot commands; `columns` is {title: [value of each name]}."""
    lines = [f"{name} " + " ".join(map(str, values))
             for name, values in zip(names, zip(*columns.values()))]
    plots = [f"$bars using {i + 2}{':xtic(1)' if i == 0 else ''} title '{title}' "
             f"fillstyle {BARS[i][1]} linecolor rgb '{BARS[i][0]}'"
             for i, title in enumerate(columns)]
    return ("$bars << END\n" + "\n".join(lines) + "\nEND\n"
            "set style data histograms\nset style histogram clustered gap 1\nset boxwidth 0.9\n"
            f"set xtics rotate by 45 right noenhanced\nset bmargin 5\nset ylabel '{ylabel}'\n"
            f"set grid ytics\nset logscale y\nset yrange [0.001:1000]\nplot {', '.join(plots)}\n")


def figure4():
    layers = [r for r in read("vgg16-32x32-channels") if r["type"] == "conv2d"]
    return bars(
        [r["name"] for r in layers],
        {title: [int(r[f"{kind}_bytes"]) / 1e6 for r in layers]
         for title, kind in [("activations", "activation"), ("gradients", "gradient"),
                             ("filters", "weight")]},
        "MB for a minibatch of 32",
    )


def figure7():
    points = read("processors")
    result = {}
    for network, title in NETWORKS.items():
        for schedule, name in [("layerpipe", "LayerPipe"), ("pipedream", "PipeDream")]:
            result[f"{title}, {name}"] = [
                (p, mean(map(speed_up, select(points, workload=network, schedule=schedule,
                                              processors=p))))
                for p in range(1, 17)
            ]
    return curves(result, "processors", "speed-up over one processor",
                  "set key left top\nset yrange [0:]\nset offsets graph 0.02, graph 0.02, 0, 0")


def gains_by(column, values, network):
    points = pairs(read("speedup"))
    return [
        (int(str(value).split("x", maxsplit=1)[0]),
         mean(gain(p) for p in points
              if p[0]["workload"] == network and p[0][column] == str(value)))
        for value in values
    ]


def figure8ab(network):
    points = pairs(read("speedup"))
    return curves(
        {f"{array}": [(p, mean(gain(x) for x in points
                               if (x[0]["workload"], x[0]["array"], x[0]["processors"])
                               == (network, array, str(p)))) for p in PROCESSORS]
         for array in ARRAYS},
        "processors", "gain of LayerPipe over PipeDream, %",
        "set key left top\nset offsets graph 0.02, graph 0.02, 0, 0",
    )


def figure8cd(column, values, xlabel):
    ticks = [int(str(value).split("x", maxsplit=1)[0]) for value in values]
    settings = (f"set key outside top center horizontal\nset logscale x 2\nset yrange [0:]\n"
                f"set xtics ({', '.join(map(str, ticks))})\n"
                f"set xrange [{ticks[0] / 1.1}:{ticks[-1] * 1.1}]")
    return curves({title: gains_by(column, values, network) for network, title in NETWORKS.items()},
                  xlabel, "gain of LayerPipe over PipeDream, %", settings)


def figure_bandwidth():
    points = pairs(read("bandwidth"))
    result = {}
    for network, title in NETWORKS.items():
        for array in ["32x32", "128x128"]:
            result[f"{title}, {array}"] = [
                (number(p[0], "bandwidth_bytes_per_second") / number(p[0], "clock_hertz"),
                 1 + gain(p) / 100)
                for p in points
                if (p[0]["workload"], p[0]["array"], p[0]["processors"]) == (network, array, "8")
            ]
    return curves(result, "bandwidth of each link, bytes per cycle",
                  "speed-up of LayerPipe over PipeDream",
                  "set logscale x\nset key left top\nset arrow from graph 0, first 1 "
                  "to graph 1, first 1 nohead")


def figure_dataflows(network):
    points = read("dataflows")
    result = {}
    # With strides of 1 both mappings take the same cycles.
    for mapping in ["convolution"] if network == "vgg16" else ["convolution", "gemm"]:
        for gradient in ["weight-stationary", "input-stationary", "output-stationary"]:
            some = select(points, workload=network, weight_gradient_dataflow=gradient,
                          input_gradient=mapping, schedule="layerpipe")
            result[f"G {gradient}, delta {mapping}"] = [
                (int(r["processors"]), speed_up(r)) for r in some
            ]
    return curves(result, "processors", "speed-up over one processor",
                  "set key left top\nset yrange [0:]\nset offsets graph 0.02, graph 0.02, 0, 0")


FIGURES = {
    "figure4": figure4,
    "figure7": figure7,
    "figure8a": lambda: figure8ab("vgg16"),
    "figure8b": lambda: figure8ab("resnet50"),
    "figure8c": lambda: figure8cd("array", ARRAYS, "rows and columns of an array"),
    "figure8d": lambda: figure8cd("batch", BATCHES, "samples in a minibatch"),
    "bandwidth": figure_bandwidth,
    "dataflows-vgg16": lambda: figure_dataflows("vgg16"),
    "dataflows-resnet50": lambda: figure_dataflows("resnet50"),
}


def draw(name, folder):
    commands = FIGURES[name]()
    with tempfile.NamedTemporaryFile("w", suffix=".gp", encoding="utf-8") as script:
        for terminal, suffix in [("svg size 800,500 font 'sans,14' background rgb 'white'", "svg"),
                                 ("pngcairo size 800,500 font 'sans,11'", "png")]:
            script.write(f"set terminal {terminal}\nset output '{folder}/{name}.{suffix}'\n"
                         f"{commands}set output\nreset\n")
        script.flush()
        subprocess.run(["gnuplot", script.name], check=True)


def main(arguments):
    match arguments:
        case ["tables", page]:
            path = pathlib.Path(page)
            path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")
        case ["figures", folder]:
            for name in FIGURES:
                draw(name, folder)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
