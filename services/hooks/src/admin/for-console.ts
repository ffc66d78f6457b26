// The gateway for the platform's console, behind a listener that only this process can reach. Who is there was asked by
// the platform already; senders have no business there.
import type { HttpService } from '@atoll/kernel/http/service'
import type { HooksCallers } from '../callers.ts'

export const forConsole = (service: HttpService<HooksCallers>): HttpService<HooksCallers> => ({
  ...service,
  routes: service.routes.filter(({ auth }) => auth === 'admin'),
  authenticate: async () => null,
})
