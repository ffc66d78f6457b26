// What `docker run` can be told, each seen from inside the container.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking('script')
let server: EngineServer
let tour: Transcript
const docker = (...args: string[]): Promise<string> => tour.docker(...args)
/** What a script says in a container with these options. */
const inside = (options: string[], script: string): Promise<string> =>
  docker('run', '--rm', ...options, 'busybox', 'sh', '-c', script)

/** The same for several at once. */
const allInside = async (cases: [options: string[], script: string, said: string | RegExp][]): Promise<void> => {
  const said = await Promise.all(cases.map(([options, script]) => inside(options, script)))
  for (const [index, [options, , right]] of cases.entries()) {
    if (typeof right === 'string') expect(said[index], options.join(' ')).toBe(right)
    else expect(said[index], options.join(' ')).toMatch(right)
  }
}

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
}, 120_000)

afterAll(async () => {
  tour?.write('docker-run-options.txt')
  await server?.stop()
}, 60_000)

describe.skipIf(lacks.length > 0)('docker run', { timeout: 60_000 }, () => {
  it('as whom and where', async () => {
    tour.title('users, folders, environments')
    await allInside([
      [['--user', '1000:50'], 'id -u; id -g', '1000\n50'],
      [['--user', 'nobody'], 'id -u', '65534'],
      [['--group-add', '44'], 'id -G', '0 44'],
      [['--workdir', '/made/for/it'], 'pwd', '/made/for/it'],
      [['--hostname', 'h', '--domainname', 'd.example'], 'hostname; cat /etc/hostname', 'h\nh'],
      [['--init'], 'grep -q init /proc/1/cmdline && echo init', 'init'],
    ])
    expect(await docker('run', '--rm', '--entrypoint', 'echo', 'busybox', 'said', 'so')).toBe('said so')
  })

  it('with which rights', async () => {
    tour.title('rights')
    const capabilities = 'grep CapEff /proc/self/status'
    await allInside([
      [[], capabilities, 'CapEff:\t00000000a80425fb'],
      [['--cap-drop', 'ALL', '--cap-add', 'CHOWN'], capabilities, 'CapEff:\t0000000000000001'],
      [['--privileged'], 'ls /dev | wc -l', /^(2[1-9]|[3-9]\d|\d{3,})$/m],
      [['--security-opt', 'no-new-privileges'], 'grep NoNewPrivs /proc/self/status', /1$/],
      [[], 'grep ^Seccomp: /proc/self/status', /2$/],
      [['--security-opt', 'seccomp=unconfined'], 'grep ^Seccomp: /proc/self/status', /0$/],
      [['--ulimit', 'nofile=100:200'], 'ulimit -Sn; ulimit -Hn', '100\n200'],
      [['--sysctl', 'net.ipv4.ip_unprivileged_port_start=7'], portStart, '7'],
      [['--device', '/dev/null:/dev/nothing'], 'ls /dev/nothing', '/dev/nothing'],
      [['--shm-size', '2m'], 'df -k /dev/shm | tail -n 1', / 2048 /],
      [['--pid', 'host'], 'ls -d /proc/[0-9]* | wc -l', /^([4-9]|\d{2,})$/],
      [['--oom-score-adj', '500'], 'cat /proc/self/oom_score_adj', '500'],
    ])
  })

  it('on which network', async () => {
    tour.title('networks')
    expect(await inside(['--network', 'none'], 'ls /sys/class/net')).toBe('lo')
    expect(await inside(['--network', 'host'], 'hostname -i 2>/dev/null; ls /sys/class/net')).toMatch(
      /docker0|br-|atoll/,
    )
    await docker('network', 'create', '--subnet', '10.92.0.0/24', 'fixed')
    expect(await inside(['--network', 'fixed', '--ip', '10.92.0.77'], 'ip -4 addr show eth0')).toContain(
      '10.92.0.77/24',
    )
    const mac = ['--mac-address', '02:42:0a:00:00:07']
    expect(await inside(mac, 'cat /sys/class/net/eth0/address')).toBe('02:42:0a:00:00:07')
    const names = ['--dns', '10.9.9.9', '--dns-search', 'corp.example', '--add-host', 'db:10.1.2.3']
    const files = await inside([...names], 'cat /etc/resolv.conf /etc/hosts')
    expect(files).toMatch(/search corp\.example/)
    expect(files).toMatch(/10\.1\.2\.3\s+db/)
    await docker('run', '-d', '--name', 'base', 'busybox', 'httpd', '-f', '-p', '80')
    expect(await inside(['--network', 'container:base'], 'wget -qO- http://127.0.0.1/ 2>&1; hostname')).toContain('404')
    expect(await inside(['--link', 'base:origin'], 'grep origin /etc/hosts; echo $ORIGIN_NAME')).toMatch(/origin/)
    await docker('run', '-d', '--name', 'open', '-P', '--expose', '80', 'busybox', 'httpd', '-f', '-p', '80')
    const port = (await docker('port', 'open', '80')).split('\n')[0]?.split(':').at(-1)
    const answer = await server.host.run('busybox', ['wget', '-qO-', `http://127.0.0.1:${port}/`])
    expect(answer.stderr).toContain('404')
    await docker('rm', '-f', 'base', 'open')
  })

  it('with which files', async () => {
    tour.title('mounts')
    await docker('run', '--name', 'holder', '-v', '/kept', 'busybox', 'sh', '-c', 'echo held > /kept/it')
    expect(await inside(['--volumes-from', 'holder'], 'cat /kept/it')).toBe('held')
    const mount = `type=bind,source=${server.folder}/busybox/etc,target=/there,readonly`
    expect(await inside(['--mount', mount], 'grep -c root /there/passwd; touch /there/x 2>&1 || true')).toContain(
      '1\ntouch: /there/x: Read-only',
    )
    expect(await inside(['--mount', 'type=tmpfs,target=/t,tmpfs-size=4096'], 'mount | grep " /t "')).toContain(
      'size=4k',
    )
    expect(await inside(['--mount', 'type=volume,source=named,target=/v'], 'mount | grep -c " /v "')).toBe('1')
    expect(await tour.refused(125, 'run', '--mount', 'type=bind,source=/nowhere,target=/x', 'busybox')).toContain(
      'bind source path does not exist',
    )
    expect(await docker('rm', '-v', 'holder')).toBe('holder')
    expect(await docker('volume', 'ls', '-q')).toBe('named')
  })

  it('attached, started later, detached by keys, and interrupted', async () => {
    tour.title('attach and signals')
    await docker('create', '-i', '--name', 'later', 'busybox', 'sh', '-c', 'read x; echo got $x; exit 6')
    const typed = await tour.run('docker', ['start', '-a', '-i', 'later'], { input: 'it\n', code: 6 })
    expect(typed).toBe('got it')
    await docker('run', '-dit', '--name', 'screen', 'busybox', 'cat')
    const shown = await tour.terminal(
      ['docker', 'attach', 'screen'],
      [
        [/$/, 'echoed\n'],
        [/echoed\r?\nechoed/, '\x10\x11'], // Control and P, then Q
      ],
      1, // so this client ends then
    )
    expect(shown).toMatch(/echoed[\s\S]*read escape sequence/)
    expect(await docker('inspect', '-f', '{{.State.Running}}', 'screen')).toBe('true')
    const trap = "trap 'echo stopped properly; exit 8' TERM; while :; do sleep 0.1; done"
    await docker('run', '-d', '--name', 'polite', 'busybox', 'sh', '-c', trap)
    await docker('stop', 'polite')
    expect(await docker('logs', 'polite')).toBe('stopped properly')
    expect(await docker('wait', 'polite')).toBe('8')
    await docker('container', 'rm', '-f', 'screen')
    expect(await docker('container', 'prune', '-f')).toMatch(/Deleted Containers:\n[0-9a-f]{64}\n[0-9a-f]{64}\n/)
  })

  it('in older versions of the API', async () => {
    tour.title('several versions at once')
    await Promise.all(['1.18', '1.21', '1.24', '1.30', '1.38'].map(inVersion))
    const tooOld = await tour.run('docker', ['ps'], { env: { DOCKER_API_VERSION: '1.17' }, code: 1 })
    expect(tooOld).toContain('client version 1.17 is too old. Minimum supported API version is 1.18')
    const tooNew = await tour.run('docker', ['ps'], { env: { DOCKER_API_VERSION: '1.48' }, code: 1 })
    expect(tooNew).toContain('client version 1.48 is too new. Maximum supported API version is 1.47')
  })

  it('through restarts of the engine, asked for or not', async () => {
    tour.title('the engine ends and is killed; containers go on')
    await docker('run', '-d', '--name', 'steady', '-p', '8082:80', 'busybox', 'sh', '-c', counting)
    await docker('run', '-d', '--name', 'mortal', 'busybox', 'sleep', '2')
    const started = await docker('inspect', '-f', '{{.State.Pid}} {{.State.StartedAt}}', 'steady')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await server.end(signal)
      await server.start()
      expect(await docker('inspect', '-f', '{{.State.Pid}} {{.State.StartedAt}}', 'steady')).toBe(started)
      expect(await docker('exec', 'steady', 'echo', 'still here')).toBe('still here')
      expect(await tour.onHost('busybox', 'wget', '-qO-', 'http://127.0.0.1:8082/')).toBe('served')
    }
    expect(await docker('wait', 'mortal')).toBe('0')
    const lines = (await docker('logs', 'steady')).split('\n').map(Number)
    expect(lines).toEqual(lines.map((_, index) => index))
    await docker('rm', '-f', 'steady', 'mortal')
  })
})

async function inVersion(version: string): Promise<void> {
  const old = (...args: string[]) => tour.run('docker', args, { env: { DOCKER_API_VERSION: version } })
  const name = `aged-${version}`
  expect(await old('run', '--rm', 'busybox', 'echo', version)).toBe(version)
  await old('run', '-d', '--name', name, 'busybox', 'sh', '-c', 'echo logged; exec top')
  expect(await old('exec', name, 'echo', 'inside')).toBe('inside')
  expect((await old('ps', '--format', '{{.Names}}')).split('\n')).toContain(name)
  expect(await old('logs', name)).toMatch(/^logged/)
  await old('kill', name)
  expect(await old('wait', name)).toBe('137')
  await old('rm', name)
}

const portStart = 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start'
const counting =
  'echo served > /www/index.html; httpd -h /www -p 80; i=0; while :; do echo $i; i=$((i + 1)); sleep 0.2; done'
