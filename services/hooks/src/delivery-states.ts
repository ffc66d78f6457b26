// Where a delivery can be.

export const deliveryStates = ['queued', 'running', 'succeeded', 'failed', 'timed_out', 'skipped', 'dead'] as const
export type DeliveryState = (typeof deliveryStates)[number]
