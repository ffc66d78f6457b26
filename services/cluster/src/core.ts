// What every part of the cluster builds on: users, audit, events, actions, modules. Databases come on top.
import type { HttpService } from '@atoll/kernel/http/service'
import type { Kernel } from '@atoll/kernel/kernel'
import { Audit } from './audit/audit.ts'
import { audited } from './audit/audited.ts'
import { auditRoutes } from './audit/routes.ts'
import type { ClusterCallers } from './callers.ts'
import type { ClusterConfig } from './config.ts'
import { kernelErrors } from './errors.ts'
import { type Authenticate, createAuthenticate } from './identity/authenticate.ts'
import { Tokens } from './identity/jwt.ts'
import { LogIn } from './identity/log-in.ts'
import type { PasswordCost } from './identity/passwords.ts'
import { keptSecret } from './identity/secrets.ts'
import { actionRoutes } from './resources/actions/routes.ts'
import { Actions } from './resources/actions/service.ts'
import { clusterRoutes } from './resources/cluster/routes.ts'
import { ClusterItself } from './resources/cluster/service.ts'
import { logRoutes } from './resources/logs/routes.ts'
import { EventLog } from './resources/logs/service.ts'
import { moduleRoutes } from './resources/modules/routes.ts'
import { Modules } from './resources/modules/service.ts'
import { nodeRoutes } from './resources/nodes/routes.ts'
import { Nodes } from './resources/nodes/service.ts'
import { userRoutes } from './resources/users/routes.ts'
import { Users } from './resources/users/service.ts'
import { Sessions } from './resources/users/sessions.ts'

type Routes = HttpService<ClusterCallers>['routes']

export interface CoreParts {
  kernel: Kernel
  config: Pick<ClusterConfig, 'name' | 'release' | 'host'>
  /** Of the databases, for what is shown of the node. */
  shardCount?: () => number
  engines?: () => readonly { name: string; version: string }[]
  /** For tests: the strong one takes its time. */
  passwordCost?: PasswordCost | undefined
}

export interface ClusterCore {
  audit: Audit
  events: EventLog
  actions: Actions
  modules: Modules
  authenticate: Authenticate
  routes: Routes
}

const maxJsonBytes = 1024 * 1024

/** Before the kernel starts: it registers jobs. */
export async function openCore({
  kernel,
  config,
  shardCount = () => 0,
  engines = () => [],
  passwordCost,
}: CoreParts): Promise<ClusterCore> {
  const { db, clock } = kernel
  const audit = new Audit(kernel)
  const events = new EventLog(kernel)
  const actions = new Actions(kernel)
  const modules = new Modules({ kernel, actions, events, release: config.release })
  events.pruneBy(kernel.jobs)
  actions.pruneBy(kernel.jobs)
  await modules.load()
  const tokens = new Tokens(await keptSecret(db, 'jwt'), () => clock.now())
  const users = new Users({ db, clock, events, passwordCost })
  const logIn = new LogIn({ users, clock, limits: kernel.limits, events, passwordCost })
  const nodes = new Nodes({ release: config.release, host: config.host, shardCount, engines })
  const routes = [
    ...userRoutes(users, new Sessions({ db, logIn, tokens })),
    ...moduleRoutes(modules),
    ...actionRoutes(actions),
    ...logRoutes(events),
    ...auditRoutes(audit),
    ...clusterRoutes(await ClusterItself.open({ db, clock, ...config })),
    ...nodeRoutes(nodes),
  ]
  return { audit, events, actions, modules, authenticate: createAuthenticate({ users, logIn, tokens, audit }), routes }
}

/** With all routes of the cluster; those that change anything go on record. */
export const clusterService = (
  { audit, authenticate }: Pick<ClusterCore, 'audit' | 'authenticate'>,
  routes: Routes,
  release: string,
): HttpService<ClusterCallers> => ({
  name: 'cluster',
  title: 'Atoll cluster',
  version: release,
  errors: kernelErrors,
  routes: audited(audit, routes),
  authenticate,
  maxJsonBytes,
})
