"""This computer as the kernel lists it."""

from rooflint.machine.probe.topology import CacheInfo, Topology
from rooflint.measure.sizes.host import host_of


def test_caches_of_a_topology() -> None:
    caches = tuple(
        [
            CacheInfo(level=level, size_bytes=size, ways=8, line_bytes=64, cores=cores)
            for level, size, cores in ((1, 32768, 1), (2, 1 << 20, 2))
        ]
    )
    topology = Topology(
        model_name="some cpu",
        sockets=1,
        cores_per_socket=2,
        threads_per_core=1,
        domains=((0, 1),),
        caches=caches,
        memory_bytes=1 << 30,
        core="znver4",
    )
    assert host_of(topology, (0, 1), "x86_64").adds_per_cy == 3.45
    assert host_of(topology, (0, 1), "riscv64").adds_per_cy is None
    host = host_of(topology, (0, 1))
    assert host.cores == (0, 1)
    assert host_of(topology, (1, 7)).cores == (1,)
    assert host.levels == ("L1", "L2", "MEM")
    assert (host.is_private("L1"), host.is_private("L2"), host.is_private("MEM")) == (
        True,
        False,
        False,
    )
