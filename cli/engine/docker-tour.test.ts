// A tour with the docker command, as its manual teaches it. The transcript is kept in reports/docker-tour.txt.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { startRegistry } from './registry.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking('script', 'docker-registry')
let server: EngineServer
let tour: Transcript
const docker = (...args: string[]): Promise<string> => tour.docker(...args)
const inspect = async (name: string, format: string): Promise<string> => docker('inspect', '--format', format, name)
const file = (name: string): string => join(server.folder, name)

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
}, 120_000)

afterAll(async () => {
  tour?.write('docker-tour.txt')
  await server?.stop()
}, 60_000)

describe.skipIf(lacks.length > 0)('the docker command', { timeout: 60_000 }, () => {
  it('learns who it talks to', async () => {
    tour.title('version and info')
    const version = await docker('version', '--format', '{{.Server.Version}} {{.Server.APIVersion}} {{.Server.Os}}')
    expect(version).toMatch(/^\S+ 1\.47 linux$/)
    expect(await docker('info')).toMatch(/Server Version: \S+\n[\s\S]*Storage Driver: overlay2?\n/)
    expect(await docker('images')).toMatch(/^REPOSITORY +TAG +IMAGE ID +CREATED +SIZE\nbusybox +latest/)
  })

  it('runs containers in the foreground, the background and a terminal', async () => {
    tour.title('run')
    expect(await docker('run', '--rm', 'busybox', 'echo', 'hello from a container')).toBe('hello from a container')
    expect(await tour.refused(7, 'run', '--rm', 'busybox', 'sh', '-c', 'echo oops >&2; exit 7')).toBe('oops')
    expect(await tour.refused(127, 'run', '--rm', 'busybox', 'no-such-program')).toMatch(/no-such-program.*not found/)
    expect(await tour.refused(125, 'run', '--rm', '--network', 'nowhere', 'busybox')).toContain('nowhere')
    expect(await tour.run('docker', ['run', '-i', '--rm', 'busybox', 'sort'], { input: 'b\na\n' })).toBe('a\nb')
    const screen = await tour.terminal(
      ['docker', 'run', '-it', '--rm', 'busybox'],
      [
        [/# /, 'tty; echo $((6 * 7))\n'],
        [/\n42\r/, 'exit\n'],
      ],
    )
    expect(screen).toMatch(/\/dev\/(pts\/\d+|console)\r?\n42/)
    expect(await docker('ps', '--all', '--quiet')).toBe('')
    const id = await docker(
      'run',
      '-d',
      '--name',
      'web',
      '--hostname',
      'web-host',
      '-e',
      'COLOR=blue',
      'busybox',
      'top',
    )
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(await docker('ps', '--format', '{{.Names}} {{.Image}} {{.State}}')).toBe('web busybox running')
  })

  it('works in a running container', async () => {
    tour.title('exec, top, stats, cp, diff, rename, update')
    expect(await docker('exec', 'web', 'hostname')).toBe('web-host')
    expect(await docker('exec', '-e', 'SIZE=big', '-w', '/tmp', 'web', 'sh', '-c', 'echo $COLOR $SIZE $PWD')).toBe(
      'blue big /tmp',
    )
    expect(await tour.refused(3, 'exec', 'web', 'sh', '-c', 'exit 3')).toBe('')
    expect(await tour.run('docker', ['exec', '-i', 'web', 'cat'], { input: 'piped' })).toBe('piped')
    const screen = await tour.terminal(['docker', 'exec', '-it', 'web', 'sh'], [[/# /, 'tty && stty size; exit 0\n']])
    expect(screen).toMatch(/\/dev\/pts\/\d+\r?\n33 101/)
    expect(await docker('top', 'web')).toMatch(/^UID +PID +PPID[\s\S]* top$/)
    expect(await docker('stats', '--no-stream', '--format', '{{.Name}} {{.PIDs}} {{.MemUsage}}', 'web')).toMatch(
      /^web 1 [\d.]+[KM]iB \/ [\d.]+GiB$/,
    )
    writeFileSync(file('there.txt'), 'from outside\n')
    await docker('cp', file('there.txt'), 'web:/tmp/there.txt')
    expect(await docker('exec', 'web', 'cat', '/tmp/there.txt')).toBe('from outside')
    await docker('exec', 'web', 'sh', '-c', 'mkdir /out && echo from inside > /out/back.txt && rm /bin/vi')
    await docker('cp', 'web:/out', file('out'))
    expect(readFileSync(file('out/back.txt'), 'utf8')).toBe('from inside\n')
    expect((await docker('diff', 'web')).split('\n').sort()).toEqual(
      ['A /out', 'A /out/back.txt', 'A /tmp/there.txt', 'C /bin', 'C /tmp', 'D /bin/vi'].sort(),
    )
    await docker('rename', 'web', 'site')
    expect(await docker('ps', '--format', '{{.Names}}')).toBe('site')
    await docker('update', '--memory', '64m', '--memory-swap', '64m', '--restart', 'on-failure:2', 'site')
    expect(await inspect('site', '{{.HostConfig.Memory}} {{.HostConfig.RestartPolicy.Name}}')).toBe(
      '67108864 on-failure',
    )
  })

  it('pauses, waits for, stops, restarts, kills and removes', async () => {
    tour.title('pause, unpause, wait, stop, start, restart, kill, rm')
    await docker('pause', 'site')
    expect(await docker('ps', '--format', '{{.Status}}')).toContain('(Paused)')
    expect(await tour.refused(1, 'exec', 'site', 'true')).toContain('paused')
    await docker('unpause', 'site')
    await docker('restart', '--time', '1', 'site')
    expect(await inspect('site', '{{.State.Status}}')).toBe('running')
    expect(await tour.refused(1, 'rm', 'site')).toMatch(/cannot remove|running container/i)
    await docker('kill', '--signal', 'KILL', 'site')
    expect(await tour.until((said) => said.startsWith('exited'), 'inspect', '--format', exitFormat, 'site')).toBe(
      'exited 137',
    )
    await docker('start', 'site')
    await docker('stop', '--time', '1', 'site')
    expect(await docker('wait', 'site')).toMatch(/^(143|137)$/)
    await docker('run', '-d', '--name', 'short', 'busybox', 'sh', '-c', 'exit 5')
    expect(await docker('wait', 'short')).toBe('5')
    await docker('rm', 'short')
    expect(await docker('rm', '-f', 'site')).toBe('site')
    expect(await tour.refused(1, 'inspect', 'site')).toMatch(/No such object: site/)
  })

  it('shows logs, also while they are written', async () => {
    tour.title('logs')
    const script = 'for i in 1 2 3 4; do echo line $i; echo warning $i >&2; sleep 0.2; done'
    await docker('run', '-d', '--name', 'writer', 'busybox', 'sh', '-c', script)
    const followed = await docker('logs', '-f', 'writer')
    expect(followed.match(/^line \d$/gm)).toEqual(['line 1', 'line 2', 'line 3', 'line 4'])
    expect(followed.match(/^warning \d$/gm)).toHaveLength(4)
    expect((await docker('logs', '--tail', '2', 'writer')).split('\n').sort()).toEqual(['line 4', 'warning 4'])
    expect(await docker('logs', '-t', '--tail', '1', 'writer')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (line|warning) 4$/)
    await docker('rm', 'writer')
  })

  it('keeps to limits, restart policies and health checks', async () => {
    tour.title('limits, restart policies, health checks')
    const limits = ['--memory', '32m', '--pids-limit', '20', '--cpus', '0.5']
    await docker('run', '-d', '--name', 'small', ...limits, 'busybox', 'top')
    expect(await inspect('small', '{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.NanoCpus}}')).toBe(
      '33554432 20 500000000',
    )
    expect(await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', 'small')).toMatch(/\/ 32MiB$/)
    const forks = 'for i in $(seq 30); do sleep 1 & done'
    expect(await tour.refused(2, 'exec', 'small', 'sh', '-c', forks)).toContain("can't fork")
    const greedy = ['run', '--name', 'greedy', '--memory', '16m', '--memory-swap', '16m', 'busybox']
    await tour.refused(137, ...greedy, 'sh', '-c', 'x=0123456789abcdef; while :; do x=$x$x; done')
    expect(await inspect('greedy', '{{.State.OOMKilled}}')).toBe('true')
    await docker('run', '-d', '--name', 'stubborn', '--restart', 'on-failure:2', 'busybox', 'false')
    const restarts = '{{.State.Status}} {{.RestartCount}}'
    await tour.until((said) => said === 'exited 2', 'inspect', '--format', restarts, 'stubborn')
    const check = ['--health-cmd', 'test -e /tmp/well', '--health-interval', '200ms', '--health-retries', '2']
    await docker('run', '-d', '--name', 'patient', ...check, 'busybox', 'top')
    const health = ['inspect', '--format', '{{.State.Health.Status}}', 'patient']
    await tour.until((said) => said === 'unhealthy', ...health)
    await docker('exec', 'patient', 'touch', '/tmp/well')
    await tour.until((said) => said === 'healthy', ...health)
    expect(await docker('ps', '--filter', 'health=healthy', '--format', '{{.Names}}')).toBe('patient')
    await docker('rm', '-f', 'small', 'greedy', 'stubborn', 'patient')
  })

  it('connects containers by networks and names', async () => {
    tour.title('networks, names, published ports')
    await docker('network', 'create', '--subnet', '10.91.0.0/24', '--label', 'tour=yes', 'shop')
    await docker('network', 'create', 'spare')
    expect(await docker('network', 'ls', '--filter', 'label=tour=yes', '--format', '{{.Name}} {{.Driver}}')).toBe(
      'shop bridge',
    )
    const serve = 'echo welcome > /www/index.html && exec httpd -f -h /www -p 80'
    const server = ['--network', 'shop', '--network-alias', 'shop-front', '-p', '127.0.0.1:8081:80']
    await docker('run', '-d', '--name', 'front', ...server, 'busybox', 'sh', '-c', serve)
    await docker('run', '-d', '--name', 'buyer', '--network', 'shop', 'busybox', 'top')
    const fetchBy = (name: string) => ['exec', 'buyer', 'wget', '-qO-', `http://${name}/`]
    for (const name of ['front', 'shop-front']) expect(await docker(...fetchBy(name))).toBe('welcome')
    expect(await docker('port', 'front')).toBe('80/tcp -> 127.0.0.1:8081')
    expect(await tour.onHost('busybox', 'wget', '-qO-', 'http://127.0.0.1:8081/')).toBe('welcome')
    expect(await tour.refused(125, 'run', '-d', '-p', '127.0.0.1:8081:80', 'busybox')).toMatch(/8081.*(allocated|use)/)
    await docker('network', 'connect', '--alias', 'second-door', 'spare', 'front')
    await docker('network', 'connect', 'spare', 'buyer')
    expect(await docker(...fetchBy('second-door'))).toBe('welcome')
    const members = '{{range .Containers}}{{.Name}} {{end}}'
    expect((await docker('network', 'inspect', '--format', members, 'spare')).trim().split(' ').sort()).toEqual([
      'buyer',
      'front',
    ])
    expect(await tour.refused(1, 'network', 'rm', 'spare')).toContain('active endpoints')
    for (const name of ['front', 'buyer']) await docker('network', 'disconnect', 'spare', name)
    expect(await tour.refused(1, ...fetchBy('second-door'))).toContain("bad address 'second-door'")
    expect(await docker('network', 'prune', '-f')).toBe('Deleted Networks:\nspare\n')
    const gone = (await docker('ps', '-aq', '--filter', 'status=created')).split('\n')
    await docker('rm', '-f', 'front', 'buyer', ...gone.filter(Boolean))
    await docker('network', 'rm', 'shop')
  })

  it('keeps files in volumes, folders of the host and memory', async () => {
    tour.title('volumes, bind mounts, tmpfs')
    await docker('volume', 'create', '--label', 'tour=yes', 'notes')
    await docker('run', '--rm', '-v', 'notes:/notes', 'busybox', 'sh', '-c', 'echo kept > /notes/one')
    expect(await docker('run', '--rm', '-v', 'notes:/notes:ro', 'busybox', 'cat', '/notes/one')).toBe('kept')
    expect(await tour.refused(1, 'run', '--rm', '-v', 'notes:/notes:ro', 'busybox', 'touch', '/notes/two')).toContain(
      'Read-only file system',
    )
    expect(await docker('volume', 'ls', '--format', '{{.Name}} {{.Driver}}')).toBe('notes local')
    expect(await docker('volume', 'inspect', '--format', '{{.Mountpoint}}', 'notes')).toMatch(/\/notes\/_data$/)
    mkdirSync(file('shared'))
    await docker('run', '--rm', '-v', `${file('shared')}:/shared`, 'busybox', 'sh', '-c', 'echo shared > /shared/it')
    expect(readFileSync(file('shared/it'), 'utf8')).toBe('shared\n')
    const tmpfs = ['--tmpfs', '/scratch:size=1m', '--read-only']
    const mounted = await docker('run', '--rm', ...tmpfs, 'busybox', 'sh', '-c', 'touch /scratch/x && mount')
    expect(mounted).toMatch(/tmpfs on \/scratch type tmpfs \(rw,.*size=1024k/)
    expect(await docker('volume', 'create')).toMatch(/^[0-9a-f]{64}$/)
    expect(await docker('volume', 'rm', 'notes')).toBe('notes')
    expect(await docker('volume', 'prune', '-f')).toMatch(/^Deleted Volumes:\n[0-9a-f]{64}\n/)
    expect(await docker('volume', 'ls', '-q')).toBe('')
  })

  it('makes images of containers and carries them about', async () => {
    tour.title('commit, tag, save, load, export, import, history')
    await docker('run', '--name', 'maker', 'busybox', 'sh', '-c', 'echo made here > /made')
    expect(await docker('commit', '-c', 'CMD ["cat", "/made"]', 'maker', 'made:1')).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await docker('run', '--rm', 'made:1')).toBe('made here')
    await docker('tag', 'made:1', 'made:again')
    expect(await docker('images', '--format', '{{.Tag}}', 'made')).toMatch(/^(1\nagain|again\n1)$/)
    await docker('save', '-o', file('made.tar'), 'made:1')
    expect(await docker('rmi', 'made:again')).toBe('Untagged: made:again')
    expect(await docker('rmi', 'made:1')).toMatch(/^Untagged: made:1\nDeleted: sha256:/)
    expect(await docker('load', '-i', file('made.tar'))).toContain('Loaded image: made:1')
    expect(await docker('run', '--rm', 'made:1')).toBe('made here')
    expect((await docker('history', '--quiet', 'made:1')).split('\n')).toHaveLength(2)
    await docker('export', '-o', file('maker.tar'), 'maker')
    expect(await docker('import', file('maker.tar'), 'flat')).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(await docker('run', '--rm', 'flat', '/bin/cat', '/made')).toBe('made here')
    await docker('rm', 'maker')
  })

  it('pushes to a registry and pulls from it', async () => {
    tour.title('push and pull')
    const registry = await startRegistry(server)
    const name = `${registry.address}/team/made:1`
    await docker('tag', 'made:1', name)
    expect(await docker('push', name)).toMatch(/1: digest: sha256:[0-9a-f]{64} size: \d+$/)
    await docker('rmi', name, 'made:1')
    expect(await docker('pull', name)).toMatch(/Status: Downloaded newer image for 127\.0\.0\.1/)
    expect(await docker('run', '--rm', name)).toBe('made here')
    expect(await docker('pull', name)).toMatch(/Status: Image is up to date/)
    expect(await tour.refused(1, 'pull', `${registry.address}/team/none:1`)).toMatch(/not found|manifest unknown/)
    await registry.stop()
  })

  it('tells what happened and what takes room, and clears it', async () => {
    tour.title('events, system df, system prune')
    const since = String(Math.floor(Date.now() / 1000))
    await docker('run', '--name', 'last', '--label', 'tour=end', 'busybox', 'true')
    const span = ['--since', since, '--until', String(Date.now() / 1000)]
    const told = await docker('events', ...span, '--filter', 'container=last', '--format', '{{.Type}} {{.Action}}')
    expect(told.split('\n')).toEqual(['create', 'attach', 'start', 'die'].map((action) => `container ${action}`))
    expect(await docker('system', 'df')).toMatch(/Images +\d+[\s\S]*Containers +1 [\s\S]*Local Volumes +0/)
    expect(await tour.refused(1, 'rmi', 'busybox')).toMatch(/unable to remove.*must force.*container [0-9a-f]{12}/)
    expect(await docker('image', 'prune', '--all', '-f')).toMatch(/Deleted Images:[\s\S]*untagged: flat:latest/)
    expect(await docker('images', '--format', '{{.Repository}}')).toBe('busybox')
    expect(await docker('system', 'prune', '-f')).toMatch(/Deleted Containers:\n[0-9a-f]{64}\n[\s\S]*reclaimed space:/)
    expect(await docker('ps', '-aq')).toBe('')
    const pruned = ['container', 'network', 'image', 'builder'].map((kind) => `${kind} prune`)
    const until = String(Date.now() / 1000)
    const prunes = ['--since', since, '--until', until, '--filter', 'event=prune', '--format', '{{.Type}} {{.Action}}']
    expect((await docker('events', ...prunes)).split('\n').slice(-4).sort()).toEqual(pruned.sort())
  })
})

const exitFormat = '{{.State.Status}} {{.State.ExitCode}}'
