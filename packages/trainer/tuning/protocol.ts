// What the one who asks for a training and the process that does it say to each other.
import type { StepMeasures } from '../train/training.ts'
import type { LineError } from './read-examples.ts'

export interface TuningRequest {
  /** The base model's GGUF file. */
  base: string
  /** JSONL files. */
  training: string
  validation: string | undefined
  /** `auto`: chosen from the data. */
  epochs: number | 'auto'
  batchSize: number | 'auto'
  rateMultiplier: number | 'auto'
  seed: number
  /** Whether it is held to what it can do already, in conversations that Atoll brings, so that it forgets less. */
  reminds: boolean
  threads: number
  /** How far it steps back behind other programs: 0 to 19. */
  niceness: number
  /** More than this it must not take. Absent: what is free. */
  memoryBytes?: number | undefined
  /** For records and adapters; a training that was killed goes on from what it finds there. */
  folder: string
  name: string
}

export interface ChosenHyperparameters {
  epochs: number
  batchSize: number
  rateMultiplier: number
}

export interface Reminders {
  usable: number
  all: number
  /** Longer ones are left out. */
  maxTokens: number
}

export type TuningCommand =
  /** Nothing speaks against the examples: it waits for this after it has told that they can be read. */
  | { kind: 'begin' }
  /** Stands still while others need the machine. */
  | { kind: 'pause'; isPaused: boolean }

export type TuningEvent =
  | { kind: 'invalid'; file: 'training' | 'validation'; message: string; errors: LineError[] }
  /** `cut`: examples that lost what is behind `maxTokens`. `reminders`: how many of those that Atoll brings this model can be reminded of; absent: it was not asked for. */
  | {
      kind: 'validated'
      examples: number
      cut: number
      maxTokens: number
      chosen: ChosenHyperparameters
      reminders?: Reminders
    }
  /** `baseSha256`: of the base model's file, as it was read. */
  | { kind: 'loaded'; baseSha256: string }
  | { kind: 'began'; steps: number; doneSteps: StepMeasures[]; trainedTokens: number }
  | { kind: 'step'; measures: StepMeasures; trainedTokens: number }
  /** The adapter lies in `file`. */
  | { kind: 'epoch'; epoch: number; step: number; file: string }
  | { kind: 'done' }
  | { kind: 'failed'; message: string }
