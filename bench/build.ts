// docker build: cold, unchanged, with one file changed, and with a large context, side by side with dockerd's two builders.
// needs: root, crun, ip, nft, cc, docker, busybox
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isolatedHost } from '@atoll/engine/testing/isolated'
import { changeProject, makeBigContext, makeProject, makeStages } from './build/projects.ts'
import { makeBusybox } from './engine/images.ts'
import * as measures from './engine/measures.ts'
import { atoll, dockerd, type Peer } from './engine/peers.ts'
import { median, spreadPercent } from './measure.ts'

const run = promisify(execFile)
const rounds = 5
const parentFolder = '/tmp'
const timeoutMs = 300_000

/** An engine asked by one of its two protocols. */
interface Way {
  name: string
  peer: Peer
  isBuildKit: boolean
}

export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(parentFolder, 'ab-'))
  const host = await isolatedHost()
  const peers: Peer[] = []
  try {
    await host.run('sh', ['-c', '[ ! -d /etc/docker ] || mount -t tmpfs tmpfs /etc/docker'])
    const client = await findClient()
    const busybox = await makeBusybox(folder)
    for (const peer of [atoll(host, folder), dockerd(host, folder)]) {
      await peer.start()
      peers.push(peer)
      await measures.send(peer, '/images/create?fromSrc=-&repo=busybox&tag=latest&changes=ENV%20PATH=/bin', busybox)
    }
    const ways = peers.flatMap((peer): Way[] => [
      ...(client.hasBuildKit ? [{ name: `${peer.name}, BuildKit`, peer, isBuildKit: true }] : []),
      { name: `${peer.name}, classic`, peer, isBuildKit: false },
    ])
    if (!client.hasBuildKit)
      console.log('  docker has no BuildKit client here (20.10, or the buildx plugin): classic only')
    await measure(ways, client.path, folder)
  } finally {
    for (const peer of peers) await peer.stop()
    await host.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** CLIs before 23 speak to both builders by themselves: the same client for all. */
async function findClient(): Promise<{ path: string; hasBuildKit: boolean }> {
  for (const path of ['docker', '/usr/bin/docker']) {
    const { stdout } = await run(path, ['--version']).catch(() => ({ stdout: '' }))
    if (Number(/version (\d+)\./.exec(stdout)?.[1] ?? 99) < 23) return { path, hasBuildKit: true }
  }
  return { path: 'docker', hasBuildKit: false }
}

const rows = {
  cold: { title: '12 steps, 3 stages, cold', goal: 0.7 },
  same: { title: 'nothing changed', goal: 0.5 },
  changed: { title: 'one file changed', goal: 0.6 },
  'big cold': { title: '200 MB in 20,000 files, cold', goal: 0.7 },
  'big same': { title: '200 MB in 20,000 files, again', goal: 0.7 },
  stages: { title: 'two stages side by side' },
  turns: { title: 'the same, one after the other' },
} satisfies Record<string, { title: string; goal?: number }>

async function measure(ways: readonly Way[], docker: string, folder: string): Promise<void> {
  const values = new Map<string, number[]>()
  const [project, big] = [makeProject(folder), makeBigContext(folder)]
  const [stages, turns] = [makeStages(folder, false), makeStages(folder, true)]
  for (let round = 0; round < rounds; round++) {
    const each = async (row: keyof typeof rows, context: string, isCold = false) => {
      for (const way of ways) {
        if (isCold) await run(docker, ['builder', 'prune', '-af'], { env: envOf(way), timeout: timeoutMs })
        const key = `${row} of ${way.name}`
        values.set(key, [...(values.get(key) ?? []), await build(way, docker, context, isCold)])
      }
    }
    await each('cold', project, true)
    await each('same', project)
    changeProject(project, round)
    await each('changed', project)
    await each('big cold', big, true)
    await each('big same', big)
    await each('stages', stages, true)
    await each('turns', turns, true)
  }
  print(ways, values)
}

const envOf = ({ peer, isBuildKit }: Way) => ({
  ...process.env,
  ...peer.cliEnv,
  DOCKER_BUILDKIT: isBuildKit ? '1' : '0',
})

async function build(way: Way, docker: string, context: string, isCold: boolean): Promise<number> {
  const began = performance.now()
  await run(docker, ['build', '-q', ...(isCold ? ['--no-cache'] : []), context], {
    env: envOf(way),
    timeout: timeoutMs,
  })
  return performance.now() - began
}

const titleWidth = 32
const cellWidth = 24

function print(ways: readonly Way[], values: ReadonlyMap<string, number[]>): void {
  const names = ways.map(({ name }) => name)
  console.log(`  ${''.padEnd(titleWidth)}${names.map((name) => name.padEnd(cellWidth)).join('')}ours to dockerd's`)
  for (const [row, { title, ...more }] of Object.entries(rows)) {
    const of = (name: string) => values.get(`${row} of ${name}`) ?? []
    const cells = names.map((name) =>
      `${median(of(name)).toFixed(0)} ms ±${spreadPercent(of(name))} %`.padEnd(cellWidth),
    )
    const builder = names.includes('Atoll, BuildKit') ? 'BuildKit' : 'classic'
    const ratio = median(of(`Atoll, ${builder}`)) / median(of(`dockerd, ${builder}`))
    const goal = 'goal' in more ? ` (at most ${more.goal}${ratio <= more.goal ? '' : ', missed'})` : ''
    console.log(`  ${title.padEnd(titleWidth)}${cells.join('')}${ratio.toFixed(2)}${goal}`)
  }
  for (const { name } of ways) {
    const [side, turn] = ['stages', 'turns'].map((row) => median(values.get(`${row} of ${name}`) ?? []))
    console.log(
      `  ${name}: side by side takes ${((side ?? 0) / (turn ?? 1)).toFixed(2)} of one after the other (at most 0.6)`,
    )
  }
}
