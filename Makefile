# Front door. `make run` and `make test` work on a bare Debian 12 or 13 with make: what is missing
# is installed with apt (through sudo when not root).
.PHONY: run test sanitize bench setup build program package platforms pages paper format clean

build_dir := build/release
layerpipe := $(build_dir)/sim/layerpipe

run: program
	$(layerpipe) compare platforms/three-32x32.xml workloads/sample4.yaml \
	  --schedules pipedream,layerpipe

test: build
	ctest --preset release --parallel $$(nproc)

# The fast tests under address and undefined-behaviour sanitizers.
sanitize: setup
	cmake --preset asan -DCMAKE_UNITY_BUILD=ON
	cmake --build --preset asan --target workloads_tests platforms_tests scheduler_tests
	ctest --preset asan --label-regex '^(workloads|platforms|scheduler)$$' --parallel $$(nproc)

bench: build
	$(build_dir)/bench/layerpipe_bench
	$(build_dir)/bench/layerpipe_targets

build: setup
	cmake --preset release
	cmake --build --preset release

program: setup
	cmake --preset release
	cmake --build --preset release --target layerpipe

setup:
	./cmake/install_packages.sh

# A Debian package of the program.
package: build
	cpack --config $(build_dir)/CPackConfig.cmake -B $(build_dir)

# Writes the shipped platforms again.
platforms: program
	platforms/regenerate.sh $(layerpipe) platforms

# Writes again what commands print in the pages that the golden tests hold to it.
pages: program
	docs/refresh.py $(build_dir)/sim README.md docs/quickstart.md docs/schedules.md docs/splits.md \
	  docs/theory.md docs/traces.md docs/validation.md docs/formats/sweep.md \
	  docs/formats/pytorch_schedule.md
	$(layerpipe) compare three-32x32 sample4 --trace docs/pictures/fig6.svg \
	  --trace-iterations 10:13 >/dev/null

# Simulates the paper's tables and figures again: CSVs, figures, tables of docs/validation.md.
paper: program
	docs/paper/simulate.sh $(layerpipe)
	docs/paper/paper.py tables docs/validation.md
	docs/paper/paper.py figures docs/paper

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build
