const prefix = 'organization:'

/** The chain of an organization's audit log. */
export const chainOf = (organizationId: string): string => `${prefix}${organizationId}`

/** Undefined for the chain of something else. */
export const organizationOf = (chain: string): string | undefined =>
  chain.startsWith(prefix) ? chain.slice(prefix.length) : undefined
