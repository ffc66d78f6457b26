// Errors of the web console's way in.
import { platformError } from './errors.ts'

export const consoleErrors = {
  notFromConsole: () =>
    platformError(403, {
      message: 'Requests of the console carry the header x-atoll-console: 1.',
      code: 'console_header_missing',
    }),
  foreignPage: () =>
    platformError(403, {
      message: 'This request came from a page of another site. Open the console of this server itself.',
      code: 'foreign_origin',
    }),
  badKey: () =>
    platformError(401, {
      message:
        'This is no valid key of this server. Check it, or make another: ./atoll prints an admin key at its first start.',
      param: 'key',
      code: 'invalid_api_key',
    }),
  foreignHost: () =>
    platformError(421, {
      message:
        'The console answers under an address of this server or localhost. For another name, add it to platform.console.hosts.',
      code: 'foreign_host',
    }),
  badLink: () =>
    platformError(401, {
      message: 'This link was used already, or is older than 15 minutes. ./atoll console prints another.',
      param: 'link',
      code: 'invalid_link',
    }),
  noSuchProject: () =>
    platformError(403, {
      message: 'There is no such project, or it is archived, or you may not act in it. Choose another.',
      param: 'x-atoll-project',
      code: 'no_such_project',
    }),
  needsKey: () =>
    platformError(403, {
      message: 'A session of the console cannot make short-lived keys. Use a key of the project.',
      code: 'key_required',
    }),
  notOperator: () =>
    platformError(403, {
      message: 'Only owners of the first organization of this server may see and steer its other services.',
      code: 'insufficient_permissions',
    }),
  noSuchService: (name: string) =>
    platformError(404, { message: `There is no service ${name} to steer.`, code: 'no_such_service' }),
  notRunning: (name: string, why: string | undefined) =>
    platformError(503, {
      message: `${why ?? `The service ${name} does not run here.`} Start it with ./atoll up --with ${name}.`,
      code: 'service_not_running',
    }),
  notAnswering: (name: string) =>
    platformError(502, {
      message: `The service ${name} does not answer. Look at its log: ./atoll logs.`,
      code: 'service_not_answering',
    }),
  notAdmin: () =>
    platformError(403, {
      message:
        'This session was opened with the key of a project. To administer the organization, log in with an admin key.',
      code: 'insufficient_permissions',
    }),
  keyOfNobody: () =>
    platformError(403, {
      message: 'This is the key of a service account. The console needs an admin key, or the key of a person.',
      param: 'key',
      code: 'insufficient_permissions',
    }),
  noSession: () =>
    platformError(401, { message: 'You are not logged in, or no longer. Please log in again.', code: 'no_session' }),
  tooManyFailures: (retryAfterMs: number) => {
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000))
    return platformError(
      429,
      {
        message: `Too many failed logins from your address. Please try again in ${seconds} seconds.`,
        code: 'too_many_logins',
      },
      { 'retry-after': String(seconds) },
    )
  },
}
