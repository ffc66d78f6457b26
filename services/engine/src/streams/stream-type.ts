// What a stream of output says it is.

/** Callers of versions before 1.42 were told the same for every stream. */
const oneTypeForAll = 'raw-stream-type'

export const streamType = (isTty: boolean, ways: ReadonlySet<string>): string =>
  isTty || ways.has(oneTypeForAll) ? 'application/vnd.docker.raw-stream' : 'application/vnd.docker.multiplexed-stream'
