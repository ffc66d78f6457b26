// Replies the endpoint gives itself, and what it reads in those of shards.

const minus = 45

export const isError = (reply: Buffer): boolean => reply[0] === minus
export const isNull = (reply: Buffer): boolean => /^(\*-1|\$-1|_)\r\n/.test(reply.toString('latin1', 0, 8))
export const isUnblocked = (reply: Buffer): boolean => reply.toString('latin1', 0, 10) === '-UNBLOCKED'
export const integerOf = (reply: Buffer): number => Number(reply.toString('latin1', 1, reply.length - 2))

export const nullReply = (protocol: 2 | 3): Buffer => Buffer.from(protocol === 3 ? '_\r\n' : '*-1\r\n')
/** A client that keeps values must not trust any of them. */
export const invalidateAll = Buffer.from('>2\r\n$10\r\ninvalidate\r\n_\r\n')
/** WAIT across a handover: nobody is known to have confirmed. */
export const noReplicas = (name: string): Buffer => Buffer.from(name === 'waitaof' ? '*2\r\n:0\r\n:0\r\n' : ':0\r\n')
export const errorReply = (words: string): Buffer => Buffer.from(`-ERR ${words}\r\n`)
