// `rate_limits.updated`, from the headers that any other call would have got.
const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600 }

/** Of a duration as headers have it: 6m0s, 1.5s, 20ms. */
const secondsOf = (duration = ''): number =>
  [...duration.matchAll(/([\d.]+)(ms|s|m|h)/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (units[unit as string] ?? 0),
    0,
  )

export const rateLimitsOf = (headers: Record<string, string>): object[] =>
  ['requests', 'tokens'].map((name) => ({
    name,
    limit: Number(headers[`x-ratelimit-limit-${name}`] ?? 0),
    remaining: Number(headers[`x-ratelimit-remaining-${name}`] ?? 0),
    reset_seconds: secondsOf(headers[`x-ratelimit-reset-${name}`]),
  }))
