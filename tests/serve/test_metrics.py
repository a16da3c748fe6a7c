from muver.serve.metrics import Metrics


def test_prometheus_reads_counters_histograms_and_gauges():
    metrics = Metrics()
    metrics.count("asked_total", model="a")
    metrics.count("asked_total", 2, model="a")
    metrics.count("asked_total", model='b"\n')
    for seconds in (0.005, 0.3, 60):
        metrics.time("seconds", seconds)
    lines = metrics.text({("memory_bytes", ()): 7}).splitlines()
    assert lines[:3] == [
        "# TYPE asked_total counter",
        'asked_total{model="a"} 3',
        r'asked_total{model="b\"\n"} 1',
    ]
    assert lines[3] == "# TYPE seconds histogram"
    buckets = dict(line.split(" ") for line in lines[4:-4])
    assert buckets['seconds_bucket{le="0.005"}'] == "1"
    assert buckets['seconds_bucket{le="0.2"}'] == "1"
    assert buckets['seconds_bucket{le="0.5"}'] == "2"
    assert buckets['seconds_bucket{le="+Inf"}'] == "3"
    assert lines[-4:] == [
        "seconds_sum 60.305000",
        "seconds_count 3",
        "# TYPE memory_bytes gauge",
        "memory_bytes 7",
    ]
