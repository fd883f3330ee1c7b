# SPDX-License-Identifier: GPL-2.0-or-later
"""`nsecwatch collect` on made-up machines: needs no server."""
import gzip
import hashlib
import json
import os
import subprocess

import pytest

from harness import BUILD, PATIENCE

CLIENT = BUILD / "nsecwatch"
NOTHING = {"PATH": "/usr/bin:/bin"}  # no HOME: no settings file


def tree(root, files):
    for path, content in files.items():
        path = root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)


def collect(root, *args):
    """The context, and what standard error says of what was left out."""
    done = subprocess.run([CLIENT, "collect", "--root", root, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=NOTHING, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def proc(cpuinfo, **more):
    return {
        "proc/cpuinfo": cpuinfo, "proc/meminfo": "MemTotal:       527801344 kB\nMemFree:  1 kB\n",
        "proc/sys/kernel/osrelease": "6.17.0-0.rc1.17.eln150.x86_64\n", "proc/sys/kernel/hostname": "milan-01\n",
        "proc/sys/kernel/random/boot_id": "656fae5e-5eca-4d7c-acb3-271bfecb1784\n",
        "proc/version": "Linux version 6.17.0-0.rc1.17.eln150.x86_64 (mockbuild@x) (gcc (GCC) 15.1.1 20250521 (Red Hat 15.1.1-2), "
                        "GNU ld version 2.44-3.eln148) #1 SMP PREEMPT_DYNAMIC Mon Aug 11\n",
        "proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=1 ro mitigations=auto\n",
        "proc/self/smaps": "55d0-55d1 r--p 00000000 00:00 0 /bin/x\nSize:  4 kB\nKernelPageSize:        4 kB\nMMUPageSize:  4 kB\n",
        **more,
    }


EPYC = "".join(f"processor\t: {n}\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"
               f"stepping\t: 1\nmicrocode\t: 0xa0011d3\nphysical id\t: {n // 2}\nflags\t\t: fpu vme lm\n\n" for n in range(4))
ARM = "".join(f"processor\t: {n}\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
              f"CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n" for n in range(2))


@pytest.fixture
def milan(tmp_path):
    cpu = "sys/devices/system/cpu"
    tree(tmp_path, proc(EPYC))
    tree(tmp_path, {f"{cpu}/cpu{n}/topology/physical_package_id": f"{n // 2}\n" for n in range(4)})
    tree(tmp_path, {f"{cpu}/cpu{n}/cpufreq/scaling_governor": "performance\n" for n in range(4)})
    tree(tmp_path, {
        "proc/sys/kernel/arch": "x86_64\n", f"{cpu}/online": "0-1,2-3\n", f"{cpu}/smt/control": "on\n", f"{cpu}/cpufreq/boost": "1\n",
        f"{cpu}/vulnerabilities/spectre_v2": "Mitigation: Retpolines\n", f"{cpu}/vulnerabilities/meltdown": "Not affected\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
        "sys/kernel/mm/transparent_hugepage/hpage_pmd_size": "2097152\n",
        "sys/kernel/mm/transparent_hugepage/hugepages-2048kB/enabled": "[always] inherit madvise never\n",
        "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled": "always inherit madvise [never]\n",
        "sys/kernel/mm/transparent_hugepage/hugepages-8kB/shmem_enabled": "always inherit within_size advise [never]\n",
        "sys/class/dmi/id/sys_vendor": "Dell Inc.\n", "sys/class/dmi/id/product_name": "PowerEdge R7525\n",
        "sys/class/dmi/id/bios_version": "2.12.4\n",
        "boot/config-6.17.0-0.rc1.17.eln150.x86_64": "CONFIG_64BIT=y\n",
    })
    return tmp_path


def test_an_epyc_says_all_there_is(milan):
    got, left_out = collect(milan)
    assert left_out == ""
    assert got["machine"] == {
        "name": "milan-01", "isa": "x86_64", "uarch": "epyc-milan", "cpus": 4, "sockets": 2, "memory_kib": 527801344, "virtualized": False,
        "cpu": {"vendor": "AuthenticAMD", "family": 25, "model": 1, "stepping": 1, "model_name": "AMD EPYC 7763 64-Core Processor"}}
    assert got["kernel"] == {"release": "6.17.0-0.rc1.17.eln150.x86_64"} and got["boot_id"].startswith("656fae5e")
    assert got["config"]["base_page_kib"] == 4
    assert got["config"]["thp"] == {
        "enabled": "[always] madvise never", "hpage_pmd_size": "2097152",
        "hugepages-8kB/shmem_enabled": "always inherit within_size advise [never]",
        "hugepages-64kB/enabled": "always inherit madvise [never]", "hugepages-2048kB/enabled": "[always] inherit madvise never"}
    environment = got["environment"]
    assert environment["governor"] == "performance" and environment["smt"] == "on" and environment["turbo"] == "on"
    assert environment["microcode"] == "0xa0011d3" and environment["cmdline"].startswith("BOOT_IMAGE")
    assert environment["mitigations"] == {"meltdown": "Not affected", "spectre_v2": "Mitigation: Retpolines"}
    assert environment["compiler"] == "gcc (GCC) 15.1.1 20250521 (Red Hat 15.1.1-2)"
    assert environment["config_sha256"] == hashlib.sha256(b"CONFIG_64BIT=y\n").hexdigest()
    assert environment["firmware"] == {"vendor": "Dell Inc.", "product": "PowerEdge R7525", "bios_version": "2.12.4"}
    assert "hypervisor" not in environment and environment["container"] is False


def test_the_servers_reader_takes_it_without_a_warning(milan):
    got, _ = collect(milan)
    got["results"] = [{"benchmark": "a/b", "metric": "latency", "unit": "ns", "better": "lower", "values": [1]}]
    got["started_at"] = "2026-02-13T15:08:00Z"
    done = subprocess.run([CLIENT, "parse", "-"], input=json.dumps(got), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=NOTHING)
    assert done.returncode == 0 and done.stderr == "" and "thp always" in done.stdout, done.stderr


def test_mixed_governors_and_no_turbo_are_told(milan):
    cpu = milan / "sys/devices/system/cpu"
    (cpu / "cpu3/cpufreq/scaling_governor").write_text("powersave\n")
    tree(cpu, {"intel_pstate/no_turbo": "1\n"})
    environment = collect(milan)[0]["environment"]
    assert environment["governor"] == "performance 3, powersave 1" and environment["turbo"] == "off"


def test_the_configuration_comes_from_proc_first(milan):
    tree(milan, {"proc/config.gz": gzip.compress(b"CONFIG_X=y\n")})
    assert collect(milan)[0]["environment"]["config_sha256"] == hashlib.sha256(b"CONFIG_X=y\n").hexdigest()


def test_arm64_has_no_model_name_and_does_not_tell_whether_it_is_virtual(tmp_path):
    tree(tmp_path, proc(ARM, **{"proc/sys/kernel/osrelease": "6.12.0-55.el10.aarch64+64k\n", "proc/sys/kernel/arch": "aarch64\n",
                                "proc/self/smaps": "KernelPageSize:       64 kB\n"}))
    got, left_out = collect(tmp_path, "--machine", "altra-01")
    machine = got["machine"]
    assert machine["name"] == "altra-01" and machine["isa"] == "aarch64" and machine["uarch"] == "neoverse-n1" and machine["cpus"] == 2
    assert machine["cpu"] == {"vendor": "0x41", "part": "0xd0c", "variant": "0x3"}
    assert "virtualized" not in machine and "virtualized" in left_out and "microcode" not in left_out
    assert got["config"]["base_page_kib"] == 64
    tree(tmp_path, {"sys/class/dmi/id/sys_vendor": "QEMU\n", "sys/class/dmi/id/product_name": "KVM Virtual Machine\n"})
    got, _ = collect(tmp_path)
    assert got["machine"]["virtualized"] is True and got["environment"]["hypervisor"] == "kvm"


@pytest.mark.parametrize("files,name", [
    ({"proc/cpuinfo": EPYC.replace("vme", "hypervisor")}, None),
    ({"sys/hypervisor/type": "xen\n"}, "xen"),
    ({"proc/sysinfo": "Manufacturer: IBM\nVM00 Control Program: KVM/Linux\n"}, "kvm"),
    ({"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "m7i.large\n"}, "amazon"),
    ({"proc/device-tree/hypervisor/compatible": b"linux,kvm\0"}, "linux,kvm"),
])
def test_a_hypervisor_is_told_from_what_it_leaves_in_files(milan, files, name):
    tree(milan, files)
    got, _ = collect(milan)
    assert got["machine"]["virtualized"] is True and got["environment"].get("hypervisor") == name


def test_a_clouds_machine_without_a_hypervisor_is_none(milan):
    tree(milan, {"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "m7i.metal-24xl\n"})
    assert collect(milan)[0]["machine"]["virtualized"] is False


def test_a_container_without_sys_leaves_out_what_it_cannot_know_and_says_so(tmp_path):
    tree(tmp_path, proc(EPYC, **{"run/.containerenv": ""}))
    got, left_out = collect(tmp_path)
    assert got["machine"]["cpus"] == 4 and got["machine"]["sockets"] == 2 and got["environment"]["container"] is True
    assert "thp" not in got["config"] and got["kernel"] and got["boot_id"]
    for what in ("thp", "governor", "smt", "turbo", "mitigations", "firmware", "config_sha256"):
        assert f"left out: {what}: " in left_out and what not in got["environment"], what


def test_a_kernel_without_huge_pages_is_not_one_that_cannot_be_read(tmp_path):
    tree(tmp_path, proc(EPYC, **{"sys/kernel/mm/ksm/run": "0\n"}))
    got, left_out = collect(tmp_path)
    assert got["config"]["thp"] == "none" and "thp" not in left_out


def test_an_empty_root_gives_valid_json_and_no_invented_value(tmp_path):
    got, left_out = collect(tmp_path)
    assert got == {"schema": "nsecwatch.submission/1", "machine": {}, "config": {}, "environment": {"container": False}}
    assert left_out.count("left out") >= 15


def test_bytes_that_are_no_text_do_no_harm(milan):
    tree(milan, {"sys/class/dmi/id/product_name": b"\xff\xfe\x07R\"7\\\n", "proc/cmdline": b"a\xc3(\x1b[31m\n"})
    got, _ = collect(milan)
    assert got["environment"]["firmware"]["product"] == '???R"7\\' and got["environment"]["cmdline"] == "a?(?[31m"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become somebody else")
def test_what_only_root_may_read_is_left_out(milan, tmp_path_factory):
    config = milan / "boot/config-6.17.0-0.rc1.17.eln150.x86_64"
    os.chmod(config, 0o600)
    for folder in [milan, *milan.parents]:
        if str(folder).startswith("/tmp/"):
            os.chmod(folder, 0o755)
    program = milan / "nsecwatch"  # the checkout may be closed to others
    program.write_bytes(CLIENT.read_bytes())
    os.chmod(program, 0o755)
    done = subprocess.run([program, "collect", "--root", milan], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=NOTHING,
                          user="nobody", cwd="/")
    assert done.returncode == 0 and "left out: config_sha256" in done.stderr, done.stderr
    assert json.loads(done.stdout)["environment"]["microcode"] == "0xa0011d3"


def test_this_very_machine_can_be_read():
    done = subprocess.run([CLIENT, "collect"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=NOTHING)
    got = json.loads(done.stdout)
    assert done.returncode == 0 and got["kernel"]["release"] == os.uname().release and got["machine"]["isa"] == os.uname().machine
    assert got["config"]["base_page_kib"] == os.sysconf("SC_PAGESIZE") // 1024
