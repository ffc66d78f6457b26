// Further processes in a running container, as requests describe them and answers tell them.
import { z } from 'zod'
import { ResizeQuery } from '../containers/resize/schema.ts'

const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? undefined)
const texts = z.array(z.string())
const consoleSize = z.tuple([z.number().int().min(0).max(65_535), z.number().int().min(0).max(65_535)])

export const ExecContainerParams = z.object({ id: z.string() })
export const ExecParams = z.object({ id: z.string() })
export const ExecResizeQuery = ResizeQuery

export const CreateExec = z.object({
  AttachStdin: maybe(z.boolean()),
  AttachStdout: maybe(z.boolean()),
  AttachStderr: maybe(z.boolean()),
  ConsoleSize: maybe(consoleSize),
  DetachKeys: maybe(z.string().max(1_000)),
  Tty: maybe(z.boolean()),
  Env: maybe(texts),
  /** One string stands for a command without arguments. */
  Cmd: maybe(z.union([texts, z.string().transform((text) => [text])])),
  Privileged: maybe(z.boolean()),
  User: maybe(z.string()),
  WorkingDir: maybe(z.string()),
})
export type CreateExec = z.output<typeof CreateExec>

export const CreatedExec = z.object({ Id: z.string(), Warnings: z.array(z.string()).optional() })

export const StartExec = z.object({
  Detach: maybe(z.boolean()),
  Tty: maybe(z.boolean()),
  ConsoleSize: maybe(consoleSize),
})
export type StartExec = z.output<typeof StartExec>

export const ExecInspect = z.object({
  ID: z.string(),
  Running: z.boolean(),
  ExitCode: z.number().nullable(),
  ProcessConfig: z.object({
    tty: z.boolean(),
    entrypoint: z.string(),
    arguments: z.array(z.string()),
    privileged: z.boolean(),
    user: z.string().optional(),
  }),
  OpenStdin: z.boolean(),
  OpenStderr: z.boolean(),
  OpenStdout: z.boolean(),
  CanRemove: z.boolean(),
  ContainerID: z.string(),
  DetachKeys: z.string(),
  Pid: z.number(),
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.unknown()) }).optional(),
})
export type ExecInspect = z.output<typeof ExecInspect>
