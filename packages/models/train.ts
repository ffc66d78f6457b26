// The training port: a server that fine-tunes its models itself. What it tells has the wire's own shape.
import type { Call } from './call.ts'

export interface RemoteJobRequest {
  training_file: string
  validation_file?: string
  hyperparameters?: object
  suffix?: string
  seed?: number
  integrations?: object[]
}

export interface RemoteJob {
  id: string
  status: string
  training_file: string
  fine_tuned_model: string | null
  result_files: string[]
  trained_tokens: number | null
  estimated_finish: number | null
  hyperparameters: Record<string, unknown>
  error: { code: string; message: string; param: string | null } | null
}

export interface RemoteEvent {
  id: string
  level: string
  message: string
  type: string
  data: Record<string, unknown> | null
}

export interface RemoteCheckpoint {
  fine_tuned_model_checkpoint: string
  step_number: number
  metrics: Record<string, number>
}

export interface TrainingServer {
  /** What it calls the base. */
  readonly model: string
  /** A file of examples under this name; its id there. Never tried twice. */
  upload(file: { name: string; path: string }, call: Call): Promise<string>
  /** The id of an upload by the name it was given. */
  findUpload(name: string, call: Call): Promise<string | undefined>
  /** Never tried twice: `findByFile` tells whether a try that failed began something. */
  create(job: RemoteJobRequest, call: Call): Promise<RemoteJob>
  findByFile(trainingFile: string, call: Call): Promise<RemoteJob | undefined>
  find(id: string, call: Call): Promise<RemoteJob>
  /** Those after the one named, the oldest first. */
  events(id: string, after: string | undefined, call: Call): Promise<RemoteEvent[]>
  checkpoints(id: string, call: Call): Promise<RemoteCheckpoint[]>
  cancel(id: string, call: Call): Promise<void>
  content(fileId: string, call: Call): Promise<AsyncGenerator<Uint8Array>>
}
