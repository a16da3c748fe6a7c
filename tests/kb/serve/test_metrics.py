def test_prometheus_reads_counters_histograms_and_gauges(town):
    town.retrieve("bell")
    answer = town.call("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    values = dict(
        line.rsplit(" ", 1) for line in answer.body.decode().splitlines() if line[0] != "#"
    )
    assert float(values['muver_requests_total{method="POST",route="/retrieve",status="200"}']) >= 1
    assert float(values['muver_mentions_total{model="town"}']) >= 1
    buckets = [value for name, value in values.items() if 'le="+Inf",route="/retrieve"' in name]
    assert buckets == [values['muver_request_seconds_count{route="/retrieve"}']]
    assert values["muver_requests_in_hand"] == "1.0"  # this one
    assert values["muver_waiting_tokens"] == "0.0"
    assert values['muver_generation{model="town"}'] == "1.0"
