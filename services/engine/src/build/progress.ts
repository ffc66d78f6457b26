// What a builder tells of its work. Each kind of client hears it in words of its own.
import type { Instruction } from './dockerfile/dockerfile.ts'

export type BuildEvent =
  /** A line of the Dockerfile begins; undefined: FROM. */
  | { kind: 'step'; number: number; total: number; text: string; instruction: Instruction | undefined }
  /** So many steps of the base image come first. */
  | { kind: 'triggers'; count: number }
  | { kind: 'trigger'; instruction: Instruction }
  | { kind: 'cached' }
  | { kind: 'running'; containerId: string }
  | { kind: 'output'; stream: 'stdout' | 'stderr'; text: string }
  | { kind: 'removed'; containerId: string }
  /** A line of a registry client's progress. */
  | { kind: 'pulling'; message: object }
  /** The line is done. `id` is short, and empty for nothing at all. */
  | { kind: 'stepped'; id: string }

export interface BuildProgress {
  /** Resolves when more may be told. */
  tell(stage: number, event: BuildEvent): Promise<void>
  /** Nothing more comes from a stage. */
  finish(stage: number, error?: unknown): void
}
