// What the configuration says is what a container gets: with crun and with runc.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import type { MountPoint } from '../../resources/containers/record.ts'
import { defaultCapabilities } from './capabilities.ts'
import { canRun, capabilitiesOf, runInContainer, runtimes } from './testing/run-bundle.ts'

const bits = (name: string, status: string): string =>
  new RegExp(`^${name}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'

describe.skipIf(!canRun).each(runtimes)('a container of %s', (runtime) => {
  it('has its own names, processes, and capabilities, behind a seccomp filter', async () => {
    const { output } = await runInContainer(runtime, 'hostname; ps | wc -l; cat /proc/self/status', {
      config: { Hostname: 'web' },
    })
    expect(output).toMatch(/^web\n[2-5]\n/)
    expect(capabilitiesOf(bits('CapEff', output)).sort()).toEqual([...defaultCapabilities].sort())
    expect(bits('Seccomp', output)).toBe('2')
  })

  it('cannot make namespaces, mounts or keys', async () => {
    const { output } = await runInContainer(runtime, 'unshare -U true; mount -t tmpfs x /tmp; cat /proc/keys | wc -c')
    expect(output).toContain('unshare')
    expect(output).toContain('mount: permission denied')
    expect(output).toMatch(/^0$/m)
  })

  it('takes a seccomp profile of the caller', async () => {
    const profile = {
      defaultAction: 'SCMP_ACT_ALLOW',
      syscalls: [{ names: ['mkdir', 'mkdirat'], action: 'SCMP_ACT_ERRNO' }],
    }
    const { output } = await runInContainer(runtime, 'mkdir /tmp/no; echo end', {
      hostConfig: { SecurityOpt: [`seccomp=${JSON.stringify(profile)}`] },
    })
    expect(output).toMatch(/mkdir: .*not permitted\nend/)
  })

  it('has limits of block devices, of TCP memory and of swapping', async () => {
    const { output: device } = await promisify(execFile)('sh', [
      '-c',
      'ls /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | head -1',
    ]).then(({ stdout }) => ({ output: stdout.trim() }))
    const rate = [{ Path: device, Rate: 1_048_576 }]
    const hostConfig = {
      KernelMemoryTCP: 8 << 20,
      MemorySwappiness: 7,
      ...(device === ''
        ? {}
        : {
            BlkioDeviceReadBps: rate,
            BlkioDeviceWriteBps: rate,
            BlkioDeviceReadIOps: rate,
            BlkioDeviceWriteIOps: rate,
          }),
    }
    const files = ['read_bps', 'write_bps', 'read_iops', 'write_iops'].map(
      (name) => `blkio/blkio.throttle.${name}_device`,
    )
    const command = `cd /sys/fs/cgroup; cat memory/memory.swappiness memory/memory.kmem.tcp.limit_in_bytes ${files.join(' ')}`
    const { output } = await runInContainer(runtime, command, { hostConfig })
    // runc takes no limit of TCP memory any more; callers are warned.
    expect(output).toMatch(runtime === 'crun' ? /^7\n8388608\n/ : /^7\n/m)
    if (device !== '') expect(output.match(/^\d+:\d+ 1048576$/gm)).toHaveLength(4)
  })

  it('runs as the user, with the groups', async () => {
    const identity = { passwd: 'ann:x:1000:1001::/home/ann:/bin/sh\n', group: 'wheel:x:10:ann\n' }
    const { output } = await runInContainer(runtime, 'id; echo $HOME', {
      config: { User: 'ann' },
      hostConfig: { GroupAdd: ['20'] },
      identity,
    })
    expect(output).toBe('uid=1000 gid=1001 groups=10,20,1001\n/home/ann\n')
  })

  it('has devices and nothing else', async () => {
    const hostConfig = { Devices: [{ PathOnHost: '/dev/zero', PathInContainer: '/dev/mine', CgroupPermissions: 'r' }] }
    const { output } = await runInContainer(
      runtime,
      'head -c1 /dev/mine | wc -c; mknod /tmp/d b 7 0; head -c1 /tmp/d; rm -f /tmp/d',
      { hostConfig },
    )
    expect(output).toMatch(/^1$/m)
    expect(output).toContain('Operation not permitted')
  })

  it('has mounts that cannot be written, in memory, and a root that cannot', async () => {
    const folder = await tempDir()
    mkdirSync(join(folder, 'below'))
    writeFileSync(join(folder, 'file'), 'of the host')
    const shared = { Mode: '', Propagation: 'rprivate' }
    const mounts: MountPoint[] = [
      { Type: 'bind', Source: folder, Destination: '/data', RW: false, ...shared },
      {
        Type: 'tmpfs',
        Source: '',
        Destination: '/memory',
        RW: true,
        ...shared,
        Propagation: '',
        options: { tmpfs: ['nosuid', 'nodev', 'size=1m', 'uid=7'] },
      },
    ]
    const command = 'cat /data/file; echo; touch /data/x; touch /x; stat -c %u /memory; touch /memory/x && echo written'
    const { output } = await runInContainer(runtime, command, { mounts, hostConfig: { ReadonlyRootfs: true } })
    expect(output).toContain('of the host\n')
    expect(output).toContain('touch: /data/x: Read-only file system')
    expect(output).toContain('touch: /x: Read-only file system')
    expect(output).toContain('7\nwritten')
  })
})
