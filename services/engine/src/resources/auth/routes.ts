import { defineRoute } from '../../callers.ts'
import { AuthAnswer, AuthConfig } from './schema.ts'
import type { Auth } from './service.ts'

export const authRoutes = (auth: Auth) => [
  defineRoute({
    method: 'POST',
    path: '/auth',
    auth: 'anyone',
    summary: 'Check credentials for a registry',
    body: AuthConfig,
    response: AuthAnswer,
    handler: ({ body, signal }) => auth.check(body, signal),
  }),
]
