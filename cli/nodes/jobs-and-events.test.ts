// Several nodes in this process on one PostgreSQL, where a test can see which of them did what.
import { type Clock, ManualClock, systemClock } from '@atoll/kernel/clock/clock'
import { createKernel } from '@atoll/kernel/create-kernel'
import { listen } from '@atoll/kernel/http/listen'
import { testKind } from '@atoll/kernel/jobs/testing/kind'
import type { Kernel } from '@atoll/kernel/kernel'
import { PlatformConfig } from '@atoll/platform/config'
import { identityChanged } from '@atoll/platform/identity/changes'
import { ensureFirstIdentity } from '@atoll/platform/identity/first-start'
import { platformMigrations } from '@atoll/platform/migrations/migrations'
import { createPlatform } from '@atoll/platform/platform'
import { waitUntil } from '@atoll/platform/testing/wait-until'
import { describePostgres } from '@atoll/testkit/both-targets'
import { createPostgresDatabase } from '@atoll/testkit/postgres'
import { silentLog } from '@atoll/testkit/silent-log'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it, onTestFinished } from 'vitest'
import { Client } from '../crash/client.ts'

async function startKernel(url: string, blobFolder: string, clock: Clock): Promise<Kernel> {
  const config = { data: await tempDir(), database: { url, poolSize: 5 }, blobs: { folder: blobFolder } }
  const kernel = await createKernel({ config, log: silentLog, migrations: platformMigrations, clock })
  onTestFinished(() => kernel.close())
  return kernel
}

async function startKernels(clock: Clock = systemClock): Promise<[Kernel, Kernel]> {
  const url = await createPostgresDatabase()
  const blobFolder = await tempDir()
  return Promise.all([startKernel(url, blobFolder, clock), startKernel(url, blobFolder, clock)])
}

/** Resolves when all of `names` have arrived. */
class Meeting {
  readonly #expected: Set<string>
  readonly #all = Promise.withResolvers<void>()

  constructor(names: string[]) {
    this.#expected = new Set(names)
  }

  arrive(name: string): Promise<void> {
    this.#expected.delete(name)
    if (this.#expected.size === 0) this.#all.resolve()
    return this.#all.promise
  }
}

const hour = 3600
const jobCount = 400
async function startServer(kernel: Kernel) {
  const { blobs, ids, clock, log } = kernel
  const platform = createPlatform(kernel, PlatformConfig.parse({}))
  onTestFinished(() => platform.close())
  const address = { host: '127.0.0.1', port: 0 }
  const health = { ready: async () => undefined }
  const listener = await listen(platform.service, { address, blobs, ids, clock, log, health })
  onTestFinished(() => listener.close(1000))
  return { identity: platform.identity, url: listener.url }
}

describePostgres('two nodes on one PostgreSQL', () => {
  it(`run each of ${jobCount} jobs exactly once, and both take part`, async () => {
    const nodes = await startKernels()
    const runs: { n: number; node: string }[] = []
    const done = Promise.withResolvers<void>()
    const bothBusy = new Meeting(['a', 'b'])
    const kindOn = (node: string) =>
      testKind(async ({ payload }) => {
        runs.push({ n: payload.n, node })
        await bothBusy.arrive(node)
        if (runs.length >= jobCount) done.resolve()
      })
    const kinds = [kindOn('a'), kindOn('b')] as const
    for (const [at, { jobs }] of nodes.entries()) jobs.register(kinds[at]!)
    await Promise.all(nodes.map((kernel) => kernel.start()))
    const enqueue = (_: unknown, n: number) => {
      const at = n % 2
      return nodes[at]!.db.transaction((tx) => nodes[at]!.jobs.enqueue(tx, kinds[at]!, { n }))
    }
    await Promise.all(Array.from({ length: jobCount }, enqueue))
    await done.promise
    // What still ran a second time would be claimed by now or be waiting.
    await Promise.all(nodes.map(({ jobs }) => jobs.stop(10_000)))
    expect(runs.map(({ n }) => n).sort((a, b) => a - b)).toEqual(Array.from({ length: jobCount }, (_, n) => n))
    expect(new Set(runs.map(({ node }) => node))).toEqual(new Set(['a', 'b']))
    expect(await nodes[0].jobs.counts()).toMatchObject({ running: 0, dead: 0 })
  })

  it('expire overdue uploads once for both', async () => {
    const clock = new ManualClock()
    const nodes = await startKernels(clock)
    await ensureFirstIdentity(nodes[0])
    const platforms = nodes.map((kernel) => createPlatform(kernel, PlatformConfig.parse({})))
    for (const platform of platforms) onTestFinished(() => platform.close())
    let beats = 0
    for (const { jobs } of nodes) jobs.registerPeriodic('beat', hour, async () => void beats++)
    const { queries } = nodes[0].db
    const project = await queries.selectFrom('projects').selectAll().executeTakeFirstOrThrow()
    const owner = { organizationId: project.organization_id, projectId: project.id }
    const request = { filename: 'late.jsonl', bytes: 1000, purpose: 'batch' as const }
    for (let count = 0; count < 20; count++) await platforms[count % 2]!.uploads.create(owner, request)
    clock.advanceSeconds(hour)
    await Promise.all(nodes.map((kernel) => kernel.start()))
    const pending = queries.selectFrom('uploads').select('id').where('status', '!=', 'expired')
    await waitUntil(async () => beats > 0 && (await pending.execute()).length === 0)
    await Promise.all(nodes.map(({ jobs }) => jobs.stop(10_000)))
    expect(beats).toBe(1)
    // Twice expired would have given the room back twice.
    expect(await queries.selectFrom('organization_storage').select('bytes').execute()).toEqual([{ bytes: 0 }])
  })

  it('refuse on one the key that was deleted on the other, as soon as it has heard', async () => {
    const [kernelA, kernelB] = await startKernels()
    const { apiKey = '' } = await ensureFirstIdentity(kernelA)
    const [a, b] = [await startServer(kernelA), await startServer(kernelB)]
    const caller = await a.identity.authenticate({ headers: { authorization: `Bearer ${apiKey}` } }, 'project')
    const { organizationId, projectId, actor } = caller
    const { id, secret } = await a.identity.projectKeys.create(organizationId, projectId, {
      userId: actor.id,
      name: 'x',
    })
    const status = async (url: string) => (await new Client(url, secret).send('GET', '/v1/models')).status
    expect([await status(a.url), await status(b.url)]).toEqual([200, 200])
    const heard = new Promise<void>((resolve) => kernelB.events.subscribe(identityChanged, () => resolve()))
    await a.identity.projectKeys.remove(organizationId, projectId, id)
    expect(await status(a.url)).toBe(401)
    await heard
    expect(await status(b.url)).toBe(401)
  })
})
