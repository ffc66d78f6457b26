// How much of each kind a project may use of a model.
export interface LimitSet {
  requestsPerMinute?: number | undefined
  tokensPerMinute?: number | undefined
  imagesPerMinute?: number | undefined
  /** Absent: as many as the minutes allow. */
  requestsPerDay?: number | undefined
}

export interface FullLimitSet extends LimitSet {
  requestsPerMinute: number
  tokensPerMinute: number
  imagesPerMinute: number
}

const lower = (one: number, other: number | undefined): number => Math.min(one, other ?? one)

/** The organization's own, or less where the project has less. */
export const lowerLimits = (organization: FullLimitSet, own: LimitSet = {}): FullLimitSet => ({
  requestsPerMinute: lower(organization.requestsPerMinute, own.requestsPerMinute),
  tokensPerMinute: lower(organization.tokensPerMinute, own.tokensPerMinute),
  imagesPerMinute: lower(organization.imagesPerMinute, own.imagesPerMinute),
  requestsPerDay:
    organization.requestsPerDay === undefined
      ? own.requestsPerDay
      : lower(organization.requestsPerDay, own.requestsPerDay),
})
