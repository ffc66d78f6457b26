// Errors of usage, costs and rate limits.
import { platformError } from './errors.ts'

export const rateLimitErrors = {
  notFound: (id: string) => platformError(404, { message: `No rate limit found with id '${id}'.` }),
  aboveOrganization: (param: string, most: number) =>
    platformError(400, {
      message: `Invalid value for '${param}': the organization's own limit is ${most}. A project can have at most that.`,
      param,
      code: 'rate_limit_above_organization',
    }),
  notKept: (param: string, kept: readonly string[]) =>
    platformError(400, {
      message: `'${param}' cannot be set: this server does not limit it. What can be set: ${kept.join(', ')}.`,
      param,
      code: 'unsupported_parameter',
    }),
}

export const usageErrors = {
  limitTooLarge: (width: string, max: number) =>
    platformError(400, {
      message: `Invalid 'limit': a page has at most ${max} buckets of ${width}.`,
      param: 'limit',
      code: 'integer_above_max_value',
    }),
  endBeforeStart: () =>
    platformError(400, {
      message: "Invalid 'end_time': it must be later than 'start_time'.",
      param: 'end_time',
      code: 'invalid_value',
    }),
  /** Without the value, as for every cursor. */
  foreignPage: () =>
    platformError(400, {
      message:
        "Invalid 'page': it must be the 'next_page' of a response to this same query. Only 'limit' may differ between pages.",
      param: 'page',
      code: 'invalid_value',
    }),
}
