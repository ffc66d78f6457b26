// What runs the models, and their files, as administrators ask for them.
import { platformError } from './errors.ts'

export const runtimeErrors = {
  notOperator: () =>
    platformError(403, {
      message: 'Only administrators of the first organization of this server may see and steer the server itself.',
      code: 'insufficient_permissions',
    }),
  notFound: (name: string) =>
    platformError(404, { message: `There is no runtime '${name}'.`, param: 'runtime', code: 'runtime_not_found' }),
  notLoadable: (name: string) =>
    platformError(400, {
      message: `The runtime '${name}' is not loaded and unloaded by hand: only those that run a GGUF file here are.`,
      param: 'runtime',
      code: 'runtime_not_loadable',
    }),
  inUse: (name: string) =>
    platformError(409, {
      message: `The runtime '${name}' is answering somebody: try again when it has ended.`,
      param: 'runtime',
      code: 'runtime_in_use',
    }),
}

export const modelFileErrors = {
  notFound: (name: string) =>
    platformError(404, {
      message: `There is no model '${name}' here or on the list: GET /v1/organization/model_files names them.`,
      param: 'model_file',
      code: 'model_file_not_found',
    }),
  isHere: (name: string) =>
    platformError(400, { message: `The model '${name}' is here already.`, param: 'model_file', code: 'model_is_here' }),
  notPulling: (name: string) =>
    platformError(400, {
      message: `The model '${name}' is not being downloaded.`,
      param: 'model_file',
      code: 'model_not_pulling',
    }),
  tooManyPulls: (most: number) =>
    platformError(409, {
      message: `At most ${most} models are downloaded at once: wait for one, or cancel it.`,
      code: 'too_many_pulls',
    }),
}
