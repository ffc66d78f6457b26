// The gateway put together: the way in, the queue, mappings, the agent and the channels behind one HTTP service.
import type { HttpService } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import { adminRoutes } from './admin/admin.ts'
import { authenticateAdmin } from './admin/authenticate.ts'
import { Agent } from './agent/agent.ts'
import type { PlatformAddress } from './agent/platform/platform.ts'
import type { HooksCallers } from './callers.ts'
import { createOutbox, type WorkingOutbox } from './channels/outbox.ts'
import type { AgentsConfig, ChannelsConfig, HooksConfig } from './config.ts'
import { Acceptance } from './deliveries/acceptance.ts'
import { DeliveryJobs } from './deliveries/delivery-job.ts'
import { QueueDepth } from './deliveries/depth.ts'
import { Desk } from './deliveries/desk.ts'
import { pruneBy } from './deliveries/retention.ts'
import { kernelErrors } from './errors.ts'
import { AuthFailures } from './ingress/auth-failures.ts'
import type { FirstTokens } from './ingress/first-start.ts'
import { Guard, type GuardNeeds } from './ingress/guard.ts'
import { Ingress } from './ingress/ingress.ts'
import { ingressRoutes } from './ingress/routes.ts'
import { ConfiguredMappings } from './mappings/mappings.ts'
import type { AgentRuntime } from './ports.ts'

export interface HooksNeeds extends Pick<GuardNeeds, 'givenToken' | 'otherSecrets'> {
  kernel: Kernel
  config: { hooks: HooksConfig; agents: AgentsConfig; channels: ChannelsConfig }
  /** Where turns run. */
  platform: PlatformAddress
  /** In the agent's place. */
  runtime?: AgentRuntime | undefined
}

export interface Hooks {
  service: HttpService<HooksCallers>
  desk: Desk
  /** Made at this start, to be shown once. */
  made: FirstTokens['made']
  /** Runs what waits, once whoever runs it can be reached. */
  start(): Promise<void>
  /** Takes on other tokens, limits and mappings. Throws a ConfigError, and changes nothing, when they cannot be. */
  reload(config: HooksConfig): void
  close(graceMs: number): Promise<void>
}

const adminJsonBytes = 1024 * 1024
const pruneOutboxEverySeconds = 3600
const dayMs = 24 * 3600 * 1000

/** Before the kernel starts: it registers jobs. */
export async function createHooks(needs: HooksNeeds): Promise<Hooks> {
  const { kernel, config } = needs
  const { clock, log, folder } = kernel
  const { hooks } = config
  const guard = await Guard.open({ ...needs, hooks })
  const mappings = await ConfiguredMappings.open({ folder, clock, log, hooksPath: hooks.path }, hooks)
  const outbox = createOutbox(kernel, config.channels)
  const agent = new Agent({ kernel, config: config.agents, platform: needs.platform, outbox })
  const runtime = needs.runtime ?? agent
  const depth = new QueueDepth(kernel.db)
  const queue = new DeliveryJobs({
    ...{ kernel, config: hooks.queue, depth },
    died: async (tx, delivery, error) => runtime.died?.(tx, delivery, error),
  })
  const acceptance = new Acceptance({ kernel, runtime, queue, depth, maxQueued: hooks.queue.maxQueued })
  const desk = new Desk(kernel, acceptance, queue)
  const failures = new AuthFailures(clock, hooks.authFailures)
  const ingress = new Ingress({ clock, log, acceptance, mappings, runtime, failures, guard, limits: hooks })
  pruneBy(kernel, hooks.retentionDays)
  pruneOutboxBy(kernel, outbox, hooks.retentionDays)
  const routes = [
    ...(hooks.enabled === false ? [] : ingressRoutes(ingress, hooks.path)),
    ...adminRoutes({ kernel, desk, mappings, agent, outbox }),
  ]
  await depth.start()
  return {
    service: serviceOf(needs, guard, routes),
    desk,
    made: guard.made,
    async start() {
      await outbox.start()
      await runtime.start()
      await queue.start((delivery) => runtime.run(delivery))
    },
    reload: (next) => takeOn(next, { guard, ingress, failures, mappings, log }),
    async close(graceMs) {
      guard.close()
      depth.stop()
      await queue.stop(graceMs)
      await runtime.stop()
      await outbox.stop(graceMs)
      await mappings.close()
    },
  }
}

interface Changing {
  guard: Guard
  ingress: Ingress
  failures: AuthFailures
  mappings: ConfiguredMappings
  log: Kernel['log']
}

function takeOn(next: HooksConfig, { guard, ingress, failures, mappings, log }: Changing): void {
  guard.change(next)
  ingress.limits = next
  failures.limit = next.authFailures
  mappings.reload(next).catch((error: unknown) => {
    log.error({ err: error }, 'The mappings are wrong; those from before stay.')
  })
}

function pruneOutboxBy({ jobs, clock }: Kernel, outbox: WorkingOutbox, retentionDays: number): void {
  jobs.registerPeriodic('prune-hook-outbox', pruneOutboxEverySeconds, async () => {
    await outbox.removeEndedBefore(clock.now() - retentionDays * dayMs)
  })
}

function serviceOf(
  { kernel, config: { hooks } }: HooksNeeds,
  guard: Guard,
  routes: HttpService<HooksCallers>['routes'],
): HttpService<HooksCallers> {
  const failures = new AuthFailures(kernel.clock, hooks.authFailures)
  const admin = { access: () => guard.access, failures }
  return {
    name: 'hooks',
    title: 'Atoll webhook gateway',
    version: '1',
    errors: kernelErrors,
    routes,
    async authenticate(head, auth) {
      return auth === 'admin' ? authenticateAdmin(admin, head) : null
    },
    maxJsonBytes: Math.max(adminJsonBytes, hooks.maxBodyBytes),
  }
}
