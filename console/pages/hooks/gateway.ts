// The gateway's paths and moments.

export const secondsOf = (moment: string | null): number | null => (moment === null ? null : Date.parse(moment) / 1000)

export const admin = (path: string): string => `/hooks-admin${path}`
