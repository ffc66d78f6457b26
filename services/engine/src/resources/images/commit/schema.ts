import { z } from 'zod'
import { ContainerConfig } from '../../containers/schema.ts'

/** The configuration of the new image; what is absent is the container's. */
export const CommitBody = ContainerConfig.nullish()
export type CommitBody = z.output<typeof CommitBody>

export const CommitAnswer = z.object({ Id: z.string() })
