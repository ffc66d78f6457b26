// What a container's program finds when it begins, on a real machine with the real runtimes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'

let engine: WholeEngine
let folder: string
const runtimes = ['crun', 'runc']

beforeAll(async () => {
  folder = mkdtempSync('/tmp/atoll-start-effects-')
  engine = await startWholeEngine()
})
afterAll(async () => {
  await engine?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(runtimes)('a container of %s', (Runtime) => {
  it('has a single file of the host read-only, by Binds and by Mounts', async () => {
    const file = join(folder, 'secret')
    writeFileSync(file, 'kept\n')
    const mount = { Type: 'bind', Source: file, Target: '/mounted', ReadOnly: true }
    const forced = { ...mount, Target: '/forced', BindOptions: { ReadOnlyForceRecursive: true } }
    const binds = [`${file}:/etc/secret:ro`, `${folder}:/folder:ro`]
    await engine.run('1.47', `files-${Runtime}`, { HostConfig: { Runtime, Binds: binds, Mounts: [mount, forced] } })
    for (const place of ['/etc/secret', '/mounted', '/forced', '/folder/secret']) {
      const script = `cat ${place}; (echo more >> ${place}) 2> /dev/null || echo refused`
      expect(await engine.inside(`files-${Runtime}`, script), place).toBe('kept\nrefused\n')
    }
  })

  it('lets anybody listen on a low port and ping, unless the caller says otherwise', async () => {
    const names = ['net.ipv4.ip_unprivileged_port_start', 'net.ipv4.ping_group_range']
    const script = names.map((name) => `cat /proc/sys/${name.replaceAll('.', '/')}`).join(';')
    await engine.run('1.47', `low-${Runtime}`, { User: '1000:1000', HostConfig: { Runtime, CapDrop: ['ALL'] } })
    expect(await engine.inside(`low-${Runtime}`, script)).toBe('0\n0\t2147483647\n')
    const listens = 'nc -l -p 80 & until netstat -ltn | grep ":80 " || ! kill -0 $!; do sleep 0.1; done; kill $!'
    expect(await engine.inside(`low-${Runtime}`, listens)).toContain(':80 ')
    const Sysctls = { 'net.ipv4.ip_unprivileged_port_start': '1000', 'net.ipv4.ping_group_range': '1 0' }
    await engine.run('1.47', `high-${Runtime}`, { HostConfig: { Runtime, Sysctls } })
    expect(await engine.inside(`high-${Runtime}`, script)).toBe('1000\n1\t0\n')
    await engine.run('1.47', `guest-${Runtime}`, { HostConfig: { Runtime, NetworkMode: 'host' } })
    const hosts = await engine.host.run('cat', ['/proc/sys/net/ipv4/ip_unprivileged_port_start'])
    expect(await engine.inside(`guest-${Runtime}`, script)).toContain(hosts.stdout)
  })

  it('has its primary group and those of its /etc/group among its groups, and so has an exec', async () => {
    const groups =
      'echo "root:x:0:" > /etc/group; echo "wheel:x:10:root,ann" >> /etc/group; echo "audio:x:29:" >> /etc/group;'
    const users = 'echo "root:x:0:0::/root:/bin/sh" > /etc/passwd; echo "ann:x:1000:1000::/:/bin/sh" >> /etc/passwd;'
    await engine.run('1.47', `grouped-${Runtime}`, { HostConfig: { Runtime } })
    await engine.inside(`grouped-${Runtime}`, groups + users)
    const image = `grouped-${Runtime.toLowerCase()}`
    expect((await engine.call('POST', `/commit?container=grouped-${Runtime}&repo=${image}`)).status).toBe(201)
    const cases = [
      ['', '0 10'],
      ['ann', '1000 10'],
      ['1000:1000', '1000'],
      ['2000:3000', '3000'],
    ] as const
    for (const [index, [User, expected]] of cases.entries()) {
      const name = `groups-${Runtime}-${index}`
      await engine.run('1.47', name, { Image: image, User, HostConfig: { Runtime } })
      const own = await engine.inside(name, `grep Groups /proc/1/status | tr '\\t' ' '; grep Groups /proc/self/status`)
      const sorted = own.split('\n').map((line) =>
        line
          .replace(/Groups:\s*/, '')
          .trim()
          .split(' ')
          .sort()
          .join(' '),
      )
      expect(sorted.slice(0, 2), User).toEqual([expected, expected].map((ids) => ids.split(' ').sort().join(' ')))
    }
    await engine.run('1.47', `added-${Runtime}`, {
      ...{ Image: image, User: '1000:1000' },
      HostConfig: { Runtime, GroupAdd: ['audio', '4000'] },
    })
    expect(await engine.inside(`added-${Runtime}`, 'grep Groups /proc/1/status')).toMatch(/^Groups:\s*29 1000 4000\s*$/)
  })
})
