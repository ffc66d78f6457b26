// The cluster for the platform's console, behind a listener that only this process can reach. Who is there was asked by
// the platform already: they act as an admin, and stand in the audit log by their address at the platform.
import type { RequestHead } from '@atoll/kernel/http/route'
import type { HttpService } from '@atoll/kernel/http/service'
import type { ClusterCallers, ClusterUser } from '../callers.ts'
import { permissionsOf } from './roles.ts'

const maxNameLetters = 320
/** No user of the cluster itself has it. */
const noUid = 0

export const forConsole = (service: HttpService<ClusterCallers>): HttpService<ClusterCallers> => ({
  ...service,
  authenticate: async (head, needed) => (needed === 'anyone' ? null : operatorOf(head)),
})

function operatorOf({ headers }: RequestHead): ClusterUser {
  const email = decodeURIComponent(String(headers['x-atoll-actor'] ?? 'console')).slice(0, maxNameLetters)
  return { uid: noUid, name: email, email, role: 'admin', permissions: permissionsOf('admin') }
}
