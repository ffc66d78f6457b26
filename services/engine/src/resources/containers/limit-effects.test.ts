// What the settings of a container do to it: seen from within, with both runtimes.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readHostFacts } from '../../runtime/oci/host.ts'
import { capabilitiesOf } from '../../runtime/oci/testing/run-bundle.ts'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
beforeAll(async () => {
  engine = await startWholeEngine()
})
afterAll(() => engine?.stop())

const inspect = async (id: string) => (await engine.call('GET', `/containers/${id}/json`)).body
const remove = (name: string) => engine.call('DELETE', `/containers/${name}?force=1&v=1`)

/** What a container with these settings says to a script. */
async function says(settings: object, script: string, version = '1.47'): Promise<string> {
  const id = await engine.run(version, '', settings)
  const said = await engine.inside(id, script)
  await remove(id)
  return said
}
const refusal = async (settings: object) => {
  const { body } = await engine.call('POST', '/containers/create', { Image: 'busybox', Cmd: ['true'], ...settings })
  const start = await engine.call('POST', `/containers/${body.Id}/start`)
  await remove(body.Id)
  return { warnings: body.Warnings, status: start.status, message: start.body.message }
}

/** Until then the first process is still runc, which answers the start before it becomes the program. */
const onceStarted = 'while grep -q "^runc:" /proc/1/comm; do usleep 1000; done;'

/** Any will do; one of memory or of a file only where there is no other. */
const disks = readdirSync('/sys/block').filter((name) => existsSync(`/dev/${name}`))
const disk = disks.find((name) => !/^(loop|ram|zram|sr)/.test(name)) ?? disks[0]

const isVersion2 = (): boolean => statSync('/sys/fs/cgroup/cgroup.controllers', { throwIfNoEntry: false }) !== undefined
const files = isVersion2()
  ? { memory: 'memory.max', pids: 'pids.max', quota: 'cpu.max', period: 'cpu.max' }
  : {
      ...{ memory: 'memory/memory.limit_in_bytes', pids: 'pids/pids.max' },
      ...{ quota: 'cpu/cpu.cfs_quota_us', period: 'cpu/cpu.cfs_period_us' },
    }

describe.each(['crun', 'runc'])('a container of %s', (Runtime) => {
  const run = (HostConfig: object, script: string, settings: object = {}) =>
    says({ ...settings, HostConfig: { Runtime, CgroupnsMode: 'private', ...HostConfig } }, script)

  it('ENG-163 ENG-177 ENG-199 ENG-200 has limits of processors and processes', async () => {
    const look = (...names: (keyof typeof files)[]) => `cd /sys/fs/cgroup; cat ${names.map((n) => files[n]).join(' ')}`
    const nano = await run({ Memory: 32 << 20, PidsLimit: 20, NanoCpus: 5e8 }, look('memory', 'pids', 'quota'))
    expect(nano.split('\n').slice(0, 3)).toEqual([String(32 << 20), '20', isVersion2() ? '50000 100000' : '50000'])
    const quota = await run({ CpuPeriod: 50_000, CpuQuota: 25_000 }, look('quota', 'period'))
    expect(quota).toBe(isVersion2() ? '25000 50000\n25000 50000\n' : '25000\n50000\n')
    // The shell, and as many more as it may have.
    const fork = 'sh -c "i=0; while [ \\$i -lt 40 ]; do sleep 5 & i=\\$((i+1)); done" 2>&1; true'
    expect(await run({ PidsLimit: 10 }, fork)).toContain("can't fork")
  })

  it('ENG-178 ENG-179 has as many processes as it likes with 0 and -1', async () => {
    for (const PidsLimit of [0, -1]) {
      expect(await run({ PidsLimit }, `cat /sys/fs/cgroup/${files.pids}`)).toBe('max\n')
    }
  })

  it.skipIf(disk === undefined)(
    'ENG-187 ENG-188 ENG-189 ENG-190 reads and writes a device no faster than it may',
    async () => {
      const rate = [{ Path: `/dev/${disk}`, Rate: 1_048_576 }]
      const limits = {
        ...{ BlkioDeviceReadBps: rate, BlkioDeviceWriteBps: rate },
        ...{ BlkioDeviceReadIOps: rate, BlkioDeviceWriteIOps: rate },
      }
      const throttles = ['read_bps', 'write_bps', 'read_iops', 'write_iops'].map(
        (each) => `blkio.throttle.${each}_device`,
      )
      const script = isVersion2() ? 'cat /sys/fs/cgroup/io.max' : `cd /sys/fs/cgroup/blkio; cat ${throttles.join(' ')}`
      expect((await run(limits, script)).match(/1048576/g)).toHaveLength(4)
    },
  )

  it('ENG-197 ENG-198 ENG-201 ENG-202 has the score, groups, ulimits and control group it asks for', async () => {
    const limits = [
      { Name: 'nofile', Soft: 900, Hard: 1_000 },
      { Name: 'core', Soft: -1, Hard: -1 },
    ]
    const parent = `/atoll-test-${Runtime}`
    const asked = { OomScoreAdj: 500, GroupAdd: ['20', '4000'], Ulimits: limits, CgroupParent: parent }
    const id = await engine.run('1.47', '', { HostConfig: { Runtime, ...asked } })
    const script =
      'cat /proc/1/oom_score_adj; grep Groups /proc/1/status; grep "open files" /proc/1/limits; grep core /proc/1/limits'
    const said = await engine.inside(id, script)
    expect(said).toMatch(/^500\nGroups:\s.*\b20 4000\b/)
    expect(said).toMatch(/Max open files +900 +1000/)
    expect(said).toMatch(/core file size +unlimited +unlimited/)
    const { stdout } = await engine.host.run('cat', [`/proc/${(await inspect(id)).State.Pid}/cgroup`])
    expect(stdout).toContain(`${parent}/${id}`)
    await remove(id)
    await engine.host.run('sh', ['-c', `rmdir /sys/fs/cgroup/*${parent} /sys/fs/cgroup${parent} 2> /dev/null`])
  })

  it('ENG-121 ENG-167 ENG-171 ENG-173 ENG-183 has kernel parameters, a name, a terminal and an init as asked', async () => {
    const sysctls = { Sysctls: { 'net.core.somaxconn': '777' } }
    expect(await run(sysctls, 'cat /proc/sys/net/core/somaxconn')).toBe('777\n')
    const named = { Hostname: 'web-1', Domainname: 'example.org' }
    expect(await run({}, 'hostname; cat /proc/sys/kernel/domainname', named)).toBe('web-1\nexample.org\n')
    const older = await says({ ...named, HostConfig: { Runtime } }, 'hostname', '1.22')
    expect(older).toBe('web-1.example.org\n')
    expect(await run({ Init: true }, `${onceStarted} cat /proc/1/comm`)).toBe('docker-init\n')
    expect(await run({}, `${onceStarted} cat /proc/1/comm`)).toBe('sleep\n')
    const terminal = { Tty: true, Cmd: ['sh', '-c', 'stty size > /size 2>&1; exec sleep 60'] }
    const size = 'until [ -s /size ]; do usleep 1000; done; cat /size'
    expect(await run({ ConsoleSize: [24, 80] }, size, terminal)).toBe('24 80\n')
    const before = { ...terminal, HostConfig: { Runtime, ConsoleSize: [24, 80] } }
    expect(await says(before, size, '1.41')).toBe('stty: standard input\n')
  })

  it('ENG-174 ENG-175 joins the processes of another, by its name and by its id', async () => {
    const first = await engine.run('1.47', `first-${Runtime}`, { Cmd: ['sleep', '12345'], HostConfig: { Runtime } })
    for (const other of [`first-${Runtime}`, first]) {
      expect(await run({ PidMode: `container:${other}` }, 'ps')).toContain('sleep 12345')
    }
    expect(await run({}, 'ps')).not.toContain('sleep 12345')
    await remove(first)
  })

  it('ENG-133 ENG-134 has the control groups of the host or of its own', async () => {
    const inner = (CgroupnsMode: string) => run({ CgroupnsMode }, 'readlink /proc/1/ns/cgroup')
    const hosts = (await engine.host.run('readlink', ['/proc/self/ns/cgroup'])).stdout
    expect(await inner('host')).toBe(hosts)
    expect(await inner('private')).toMatch(/^cgroup:/)
    expect(await inner('private')).not.toBe(hosts)
  })

  it('ENG-181 has everything that the engine can give when privileged', async () => {
    const { capabilities } = await readHostFacts()
    const held = (status: string) => capabilitiesOf(/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0')
    const privileged = await run({ Privileged: true }, `${onceStarted} cat /proc/1/status`)
    expect(held(privileged).sort()).toEqual([...capabilities].sort())
    expect(held(await run({}, `${onceStarted} cat /proc/1/status`)).length).toBeLessThan(capabilities.size)
    expect(privileged).toMatch(/^Seccomp:\s*0$/m)
  })

  it('ENG-153 has rules for devices', async () => {
    const rules = { DeviceCgroupRules: ['c 1:5 rwm'], CapAdd: ['MKNOD'] }
    expect(await run(rules, 'mknod /tmp/zero c 1 5 && head -c 3 /tmp/zero | wc -c')).toBe('3\n')
    const other = 'mknod /tmp/mem c 1 1 2> /dev/null; head -c 1 /tmp/mem 2> /dev/null | wc -c'
    expect(await run(rules, other)).toBe('0\n')
  })

  it('ENG-141 has a limit of memory for TCP, or a warning where there is none', async () => {
    const asked = { HostConfig: { Runtime, KernelMemoryTCP: 8 << 20 } }
    const { body } = await engine.call('POST', '/containers/create', {
      Image: 'busybox',
      Cmd: ['sleep', '9'],
      ...asked,
    })
    if (Runtime === 'runc') expect(body.Warnings).toEqual([expect.stringContaining('KernelMemoryTCP has no effect')])
    else {
      await engine.call('POST', `/containers/${body.Id}/start`)
      const limit = await engine.inside(body.Id, 'cat /sys/fs/cgroup/memory/memory.kmem.tcp.limit_in_bytes')
      expect(limit).toBe(`${8 << 20}\n`)
    }
    await remove(body.Id)
  })

  it('ENG-161 ENG-162 has realtime where the host has some, and a warning where not', async () => {
    const { controls } = await readHostFacts()
    const HostConfig = { Runtime, CpuRealtimePeriod: 1_000_000, CpuRealtimeRuntime: 10_000 }
    if (controls.has('cpu-realtime')) {
      const look = 'cat /sys/fs/cgroup/cpu/cpu.rt_runtime_us /sys/fs/cgroup/cpu/cpu.rt_period_us'
      expect(await run(HostConfig, look)).toBe('10000\n1000000\n')
    } else {
      const { warnings } = await refusal({ HostConfig })
      expect(warnings).toEqual([expect.stringMatching(/realtime/i)])
    }
  })
})

describe('a container', () => {
  it('ENG-140 that asks for a GPU starts where there is one, and is refused in clear words where not', async () => {
    const { gpus } = await readHostFacts()
    const asked = { HostConfig: { DeviceRequests: [{ Count: -1, Capabilities: [['gpu']] }] } }
    const { status, message, warnings } = await refusal(asked)
    if (gpus.length > 0) expect(status).toBe(204)
    else {
      expect(message).toContain('could not select device driver "" with capabilities: [[gpu]]')
      expect(warnings).toEqual([expect.stringContaining('could not select device driver')])
    }
  })

  it('ENG-180 leaves the user namespace of the engine by host, and by nothing else', async () => {
    expect(await says({ HostConfig: { UsernsMode: 'host' } }, 'cat /proc/self/uid_map')).toMatch(
      /^ +0 +0 +4294967295\n$/,
    )
    const asked = { Image: 'busybox', HostConfig: { UsernsMode: 'mine' } }
    expect((await engine.call('POST', '/containers/create', asked)).status).toBe(400)
  })

  it('ENG-195 has the options of its resolver', async () => {
    const asked = { HostConfig: { DnsOptions: ['ndots:2', 'timeout:1'] } }
    expect(await says(asked, 'cat /etc/resolv.conf')).toMatch(/^options .*ndots:2 .*timeout:1/m)
    expect(await says(asked, 'cat /etc/resolv.conf', '1.20')).not.toContain('ndots:2')
  })

  it('ENG-119 hands its annotations to the runtime', async () => {
    const id = await engine.run('1.43', '', { HostConfig: { Annotations: { 'org.example': 'yes' } } })
    expect((await inspect(id)).HostConfig.Annotations).toEqual({ 'org.example': 'yes' })
    const state = await engine.host.run('sh', [
      '-c',
      `grep -rl '"org.example":"yes"' ${engineFolder()}/engine 2> /dev/null`,
    ])
    expect(state.stdout).toContain(id)
    await remove(id)
  })

  it('ENG-208 ENG-209 ENG-210 takes settings of Windows, and is told that they have no effect', async () => {
    for (const [name, version] of Object.entries({
      CpuCount: '1.25',
      IOMaximumIOps: '1.24',
      IOMaximumBandwidth: '1.24',
    })) {
      const asked = { Image: 'busybox', HostConfig: { [name]: 2 } }
      const { status, body } = await engine.call('POST', `/v${version}/containers/create`, asked)
      expect([status, body.Warnings]).toEqual([201, [`${name} is for Windows containers only and has no effect.`]])
    }
  })
})

const engineFolder = (): string => engine.socketPath.replace(/\/[^/]+$/, '')
