// Builds from elsewhere: repositories, archives and files on servers beside the engine.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lacking } from '@atoll/testkit/lacking'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWholeEngine, type WholeEngine } from '../../testing/start-whole-engine.ts'
import { build as buildAt, contextOf } from './testing/build-client.ts'

const lacks = lacking('git', 'busybox')
let engine: WholeEngine
let folder: string
let commits: { first: string; second: string }

beforeAll(async () => {
  if (lacks !== '') return
  engine = await startWholeEngine()
  folder = mkdtempSync('/tmp/ar-')
  commits = makeRepository(join(folder, 'project'))
  writeFileSync(
    join(folder, 'context.tar'),
    contextOf({ Dockerfile: 'FROM busybox\nCOPY f /f\nRUN cat /f\n', f: 'in a tar\n' }),
  )
  writeFileSync(join(folder, 'plain.txt'), 'FROM busybox\nRUN echo a plain file\n')
  await engine.host.spawn('busybox', ['httpd', '-f', '-p', '127.0.0.1:8000', '-h', folder])
  await engine.host.spawn('git', [
    'daemon',
    '--export-all',
    `--base-path=${folder}`,
    '--listen=127.0.0.1',
    '--reuseaddr',
  ])
  const asked = 'busybox wget -qO- http://127.0.0.1:8000/plain.txt && git ls-remote git://127.0.0.1/project.git'
  const answers = `until (${asked}) > /dev/null 2>&1; do sleep 0.1; done`
  await engine.host.run('sh', ['-c', answers])
}, 120_000)
afterAll(async () => {
  await engine?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** Two commits, a branch, a tag, a folder, and links that lead out. */
function makeRepository(work: string): { first: string; second: string } {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: work,
      env,
      encoding: 'utf8',
    }).trim()
  const write = (content: string) => {
    writeFileSync(join(work, 'Dockerfile'), 'FROM busybox\nCOPY . /c/\nRUN cat /c/version && ls -A /c\n')
    writeFileSync(join(work, 'version'), `${content}\n`)
    git('add', '.')
    git('commit', '--quiet', '-m', content)
    return git('rev-parse', 'HEAD')
  }
  mkdirSync(join(work, 'sub'), { recursive: true })
  git('init', '--quiet', '--initial-branch=main')
  writeFileSync(join(work, 'sub/Dockerfile'), 'FROM busybox\nRUN echo from a folder\n')
  symlinkSync('/etc', join(work, 'out'))
  const first = write('version one')
  git('tag', 'one')
  git('checkout', '--quiet', '-b', 'next')
  const second = write('version two')
  git('checkout', '--quiet', 'main')
  git('clone', '--quiet', '--bare', work, `${work}.git`)
  execFileSync('git', ['update-server-info'], { cwd: `${work}.git`, env })
  return { first, second }
}

const remote = (address: string, more = '') =>
  buildAt(engine.socketPath, `nocache=1&remote=${encodeURIComponent(address)}${more}`, Buffer.alloc(0))
const built = (...dockerfile: string[]) =>
  buildAt(engine.socketPath, '', contextOf({ Dockerfile: dockerfile.join('\n') }))

describe.skipIf(lacks !== '')('a build from elsewhere', { timeout: 60_000 }, () => {
  it('takes a branch, a tag, a commit or a folder of a repository', async () => {
    const git = 'git://127.0.0.1/project.git'
    for (const [address, words] of [
      [git, 'version one'],
      [`${git}#next`, 'version two'],
      [`${git}#one`, 'version one'],
      [`${git}#${commits.first}`, 'version one'],
      [`${git}#${commits.second}`, 'version two'],
      [`${git}#main:sub`, 'from a folder'],
      ['http://127.0.0.1:8000/project.git#next', 'version two'],
    ] as const) {
      const answer = await remote(address)
      expect([address, answer.error]).toEqual([address, undefined])
      expect(answer.text).toContain(words)
      expect(answer.text).not.toContain('.git\n')
    }
    const kept = await remote(git, `&buildargs=${encodeURIComponent('{"BUILDKIT_CONTEXT_KEEP_GIT_DIR":"1"}')}`)
    expect(kept.text).toContain('.git\n')
  })

  it('says what is wrong with a repository, and reads no files of this machine', async () => {
    for (const [address, words] of [
      ['git://127.0.0.1/none.git', 'git fetch failed'],
      ['git://127.0.0.1/project.git#none', 'git fetch failed'],
      ['git://127.0.0.1/project.git#--upload-pack=touch', 'is no repository'],
      ['git://127.0.0.1/project.git#main:none', 'there is no folder none'],
      ['git://127.0.0.1/project.git#main:out', 'there is no folder out'],
      ['git://127.0.0.1/project.git#main:../..', 'Cannot locate specified Dockerfile'],
      [`file://${folder}/project.git`, 'only repositories of git'],
      [`${folder}/project.git`, 'only repositories of git'],
      ['ext::sh -c true', 'only repositories of git'],
    ] as const) {
      const answer = await remote(address)
      if (address.endsWith('../..') && answer.error === undefined) continue // stays inside: the repository's own
      expect([address, answer.status, answer.error]).toEqual([address, 400, expect.stringContaining(words)])
    }
  })

  it('takes an archive or a Dockerfile from the web', async () => {
    expect((await remote('http://127.0.0.1:8000/context.tar')).text).toContain('in a tar')
    expect((await remote('http://127.0.0.1:8000/plain.txt')).text).toContain('a plain file')
    expect(await remote('http://127.0.0.1:8000/none.tar')).toMatchObject({
      status: 400,
      error: expect.stringContaining('answered 404'),
    })
    expect((await remote('http://127.0.0.1:1/x.tar')).error).toContain('cannot be fetched')
  })

  it('adds files and repositories by their addresses', async () => {
    const digest = createHash('sha256').update('FROM busybox\nRUN echo a plain file\n').digest('hex')
    const address = 'http://127.0.0.1:8000/plain.txt'
    const added = await built(
      'FROM busybox',
      `ADD --checksum=sha256:${digest} ${address} /here/`,
      `ADD --chmod=755 ${address} http://127.0.0.1:8000/context.tar /there/`,
      'ADD --unpack=true http://127.0.0.1:8000/context.tar /unpacked/',
      'ADD git://127.0.0.1/project.git#next /repository',
      'RUN cat /here/plain.txt; stat -c %a /here/plain.txt /there/plain.txt; ls /there; cat /unpacked/f /repository/version',
    )
    expect(added.error).toBeUndefined()
    expect(added.text).toContain('a plain file\n600\n755\ncontext.tar\nplain.txt\nin a tar\nversion two\n')
    const wrong = await built('FROM busybox', `ADD --checksum=sha256:${'0'.repeat(64)} ${address} /`)
    expect(wrong.error).toContain('digest mismatch')
    expect((await built('FROM busybox', 'ADD http://127.0.0.1:8000/none /')).error).toContain('it answered 404')
  })
})
