/** Samples a second of all that is spoken. */
export const speechRate = 24_000
