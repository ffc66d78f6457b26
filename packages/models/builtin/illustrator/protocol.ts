// What the server and the illustrator's process say to one another: one picture at a time, so that callers take turns.
import type { DrawnPicture, DrawRequest } from '../../draw.ts'

type WithoutCount<R> = R extends unknown ? Omit<R, 'count' | 'user'> : never

/** `number` tells the pictures of one request apart. */
export type IllustratorQuestion = WithoutCount<DrawRequest> & { number: number }
export type IllustratorAnswer = DrawnPicture
