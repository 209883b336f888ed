"""Instructions on ports: micro-operations, throughput and latency."""
