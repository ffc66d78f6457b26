// The processes of a container, as `ps` tells them.
import { z } from 'zod'

export const TopParams = z.object({ id: z.string() })
export const TopQuery = z.object({ ps_args: z.string().max(1_000).optional() })
export const TopProcesses = z.object({ Titles: z.array(z.string()), Processes: z.array(z.array(z.string())) })
export type TopProcesses = z.output<typeof TopProcesses>
