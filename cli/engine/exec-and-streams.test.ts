// Further processes and streams with the docker command: what they may do, and what survives a restart.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { Transcript } from './transcript.ts'

const lacks = lacking()
let server: EngineServer
let tour: Transcript
const docker = (...args: string[]): Promise<string> => tour.docker(...args)

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
}, 120_000)
afterAll(() => server?.stop(), 60_000)

describe.skipIf(lacks.length > 0)('docker exec and logs', { timeout: 60_000 }, () => {
  it.each([
    ['nothing said', []],
    ['no capabilities', ['--cap-drop', 'ALL']],
    ['one more, and no new privileges', ['--cap-add', 'NET_ADMIN', '--security-opt', 'no-new-privileges']],
    ['all of them', ['--privileged']],
    ['no filter, its files read-only', ['--security-opt', 'seccomp=unconfined', '--read-only']],
    ["an init and the host's processes and network", ['--init', '--pid', 'host', '--network', 'host']],
  ])('gives a further process what the container has: %s', async (_, options) => {
    // The last line: warnings may come before it.
    const id = (await docker('run', '-d', ...options, 'busybox', 'top')).split('\n').at(-1) ?? ''
    const pid = await docker('inspect', '--format', '{{.State.Pid}}', id)
    const status = await tour.onHost('cat', `/proc/${pid}/status`)
    const kept = (text: string) => text.split('\n').filter((line) => /^(Cap|NoNew|Seccomp:|Uid|Gid|Groups)/.test(line))
    expect(kept(await docker('exec', id, 'cat', '/proc/self/status'))).toEqual(kept(status))
    await docker('rm', '--force', id)
  })

  it('knows users and groups that were added while it runs', async () => {
    const id = await docker('run', '-d', 'busybox', 'top')
    await docker(
      'exec',
      id,
      'sh',
      '-c',
      'echo later:x:1234:1234::/tmp: >> /etc/passwd; echo late:x:77:later >> /etc/group',
    )
    expect(await docker('exec', '-u', 'later', id, 'sh', '-c', 'id -u; id -G; echo $HOME')).toBe('1234\n1234 77\n/tmp')
    await docker('rm', '--force', id)
  })

  it('follows a log through a restart', async () => {
    const id = await docker('run', '-d', 'busybox', 'sh', '-c', 'trap "exit 0" TERM; echo up; sleep 100 & wait')
    const following = spawn('docker', ['logs', '--follow', id], { env: server.env })
    const exited = once(following, 'exit')
    const said = { text: '' }
    following.stdout.setEncoding('utf8').on('data', (text: string) => (said.text += text))
    while (said.text !== 'up\n') await once(following.stdout, 'data')
    await docker('restart', id)
    while (!said.text.endsWith('up\nup\n')) await once(following.stdout, 'data')
    await docker('stop', id)
    expect(await exited).toEqual([0, null])
    expect(said.text).toBe('up\nup\n')
    await docker('rm', id)
  })
})
