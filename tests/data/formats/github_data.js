window.BENCHMARK_DATA = {"lastUpdate": 1771000000000, "repoUrl": "https://github.com/o/r", "entries": {"Benchmark": [
 {"commit": {"id": "f71d2db307df06659e02315dd968caf104460c72"}, "date": 1770000000000, "tool": "customBiggerIsBetter", "benches": [{"name": "Rate", "value": 245.8, "unit": "ops"}]},
 {"commit": {"id": "a71d2db307df06659e02315dd968caf104460c72"}, "date": 1771000000000, "tool": "cargo", "benches": [{"name": "fib", "value": 100, "unit": "ns/iter", "range": "± 3"}]}]}}
