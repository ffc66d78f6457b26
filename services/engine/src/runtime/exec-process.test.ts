// What a further process is, compared to the container's own: made by the shim itself (crun) and by the runtime (runc).
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OciProcess } from './runtime.ts'
import { minimalProcess } from './testing/minimal-spec.ts'
import { RuntimeKit, readAll, unframe } from './testing/runtime-kit.ts'

let kit: RuntimeKit
beforeAll(async () => {
  kit = await RuntimeKit.open()
})
afterAll(async () => {
  expect(kit.leftovers()).toEqual([])
  await kit.close()
})

const seccomp = {
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_AARCH64'],
  syscalls: [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO', errnoRet: 1 }],
}
const nothing = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] }

describe.each(['crun', 'runc'])('a further process, with %s', (runtime) => {
  let id: string
  beforeAll(async () => {
    const container = kit.container(['sleep', '1000'], { runtime, resources: { pids: { limit: 50 } } })
    container.spec.linux.seccomp = seccomp
    id = container.id
    await kit.runtime.create(container)
    await kit.runtime.start(id)
  })
  afterAll(() => kit.runtime.destroy(id))

  async function run(script: string, more: Partial<OciProcess> = {}) {
    const exec = { execId: kit.newId(), containerId: id, tty: false, openStdin: false }
    const process = minimalProcess(['sh', '-c', script], more)
    const { streams } = await kit.runtime.exec({ ...exec, process })
    const said = unframe(await readAll(streams.connection))
    return { ...said, ...(await kit.runtime.execExited(exec.execId)) }
  }

  it('is in the namespaces and control groups of the container', async () => {
    const first = (await kit.runtime.processes(id))[0]
    const { stdout } = await run(
      'for n in cgroup ipc mnt net pid uts; do readlink /proc/self/ns/$n; done; cat /proc/self/cgroup',
    )
    const own = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts'].map((name) => readlinkSync(`/proc/${first}/ns/${name}`))
    expect(stdout).toBe(`${own.join('\n')}\n${readFileSync(`/proc/${first}/cgroup`, 'utf8')}`)
  })

  it('has the user, groups, capabilities and limits it was given, and the filter of the container', async () => {
    const { stdout, stderr } = await run('cat /proc/self/status; ulimit -n; umask; mkdir /made', {
      user: { uid: 1000, gid: 1001, additionalGids: [7, 8] },
      rlimits: [{ type: 'RLIMIT_NOFILE', soft: 100, hard: 200 }],
      capabilities: { ...nothing, bounding: ['CAP_CHOWN', 'CAP_KILL'] },
    })
    for (const line of [
      'Uid:\t1000\t1000\t1000\t1000',
      'Gid:\t1001\t1001\t1001\t1001',
      'CapInh:\t0000000000000000',
      'CapPrm:\t0000000000000000',
      'CapEff:\t0000000000000000',
      'CapBnd:\t0000000000000021',
      'CapAmb:\t0000000000000000',
      'NoNewPrivs:\t0',
      'Seccomp:\t2',
      'SigBlk:\t0000000000000000',
      'SigIgn:\t0000000000000000',
    ])
      expect(stdout).toContain(`${line}\n`)
    expect(stdout).toMatch(/Groups:\t7 8 ?\n/)
    // runc is written in Go, whose runtime may raise its own soft limit after runc has set it.
    expect(stdout).toMatch(runtime === 'runc' ? /\n(100|200)\n0022\n$/ : /\n100\n0022\n$/)
    expect(stderr).toContain('Operation not permitted')
  })

  it('keeps the capabilities of root, and takes no new privileges when told so', async () => {
    const { stdout, stderr } = await run('cat /proc/self/status; mkdir /made', { noNewPrivileges: true })
    // CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_KILL, CAP_SETGID, CAP_SETUID
    for (const kind of ['Prm', 'Eff', 'Bnd']) expect(stdout).toContain(`Cap${kind}:\t00000000000000e3\n`)
    expect(stdout).toContain('NoNewPrivs:\t1\n')
    expect(stderr).toContain('Operation not permitted')
  })

  it('has nothing of the host open, and owns its streams', async () => {
    const script = 'ls /proc/self/fd; stat -L -c %u /proc/self/fd/1; echo again > /dev/stdout'
    const { stdout } = await run(script, { user: { uid: 1000, gid: 1000 } })
    expect(stdout).toBe('0\n1\n2\n3\n1000\nagain\n')
  })

  it('starts in its folder with its variables, and says what is wrong with the folder', async () => {
    expect((await run('pwd; echo $A', { cwd: '/tmp', env: ['PATH=/bin', 'A=b c'] })).stdout).toBe('/tmp\nb c\n')
    await expect(run('true', { cwd: '/nowhere' })).rejects.toMatchObject({
      message: expect.stringMatching(/no such file or directory/i),
    })
    await expect(run('true', { cwd: '/proc/self/fd/5' })).rejects.toThrow()
  })

  it('is told apart by what fails: not there, not allowed', async () => {
    const start = (args: string[]) =>
      kit.runtime.exec({
        ...{ execId: kit.newId(), containerId: id, tty: false, openStdin: false },
        process: minimalProcess(args),
      })
    await expect(start(['nothing'])).rejects.toMatchObject({ status: 400, message: /not found in \$PATH/ })
    await expect(start(['/no/thing'])).rejects.toMatchObject({ status: 400, message: /no such file or directory/ })
    await expect(start(['/etc'])).rejects.toMatchObject({ status: 400, message: /permission denied|is a directory/ })
  })

  it('has a terminal of its own that it controls', async () => {
    const exec = {
      execId: kit.newId(),
      containerId: id,
      tty: true,
      openStdin: true,
      consoleSize: [31, 97] as [number, number],
    }
    const script = 'stty size; tty; echo > /dev/tty; stat -L -c %u $(tty)'
    const process = minimalProcess(['sh', '-c', script], { user: { uid: 1000, gid: 1000 }, terminal: true })
    const { streams } = await kit.runtime.exec({ ...exec, process })
    expect((await readAll(streams.connection)).toString()).toMatch(/^31 97\r\n\/dev\/pts\/\d+\r\n\r\n1000\r\n$/)
  })
})

describe('the shim of an exec', () => {
  it('runs from a copy that nobody can write to, and ends with the process', async () => {
    const id = await kit.started(['sleep', '1000'])
    const exec = { execId: kit.newId(), containerId: id, tty: false, openStdin: true }
    const { pid, streams } = await kit.runtime.exec({ ...exec, process: minimalProcess(['cat']) })
    const shim = Number(/PPid:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
    expect(readlinkSync(`/proc/${shim}/exe`)).toContain('/memfd:shim')
    // Nothing of the runtime's own: it was not called.
    expect(readdirSync(join(kit.folder, 'run', id, 'execs', exec.execId))).toEqual(['control.sock'])
    streams.connection.end('x')
    expect(unframe(await readAll(streams.connection)).stdout).toBe('x')
    await kit.runtime.execExited(exec.execId)
    await expect.poll(() => existsSync(`/proc/${shim}`)).toBe(false)
    await kit.runtime.destroy(id)
  })

  it('goes on without the engine, which finds it again and ends it with the container', async () => {
    const id = await kit.started(['sleep', '1000'])
    const exec = { execId: kit.newId(), containerId: id, tty: false, openStdin: false }
    const { pid } = await kit.runtime.exec({ ...exec, process: minimalProcess(['sleep', '1000']) })
    const next = await RuntimeKit.open({ folder: kit.folder })
    await next.runtime.restore([id])
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    await next.runtime.destroy(id)
    expect(await next.runtime.execExited(exec.execId).catch(() => 'forgotten')).toBe('forgotten')
    expect(existsSync(`/proc/${pid}`)).toBe(false)
    expect(await kit.runtime.execExited(exec.execId)).toEqual({ exitCode: 137 })
    next.runtime.release()
  })
})
