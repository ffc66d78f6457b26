// Errors of fine-tuning.
import { platformError } from './errors.ts'

export const fineTuningErrors = {
  noSuchJob: (id: string) =>
    platformError(404, {
      message: `Could not find fine tune: ${id}`,
      param: 'fine_tuning_job_id',
      code: 'fine_tune_not_found',
    }),
  noSuchFile: (id: string, param: string) =>
    platformError(400, { message: `There is no file ${id} in this project.`, param, code: 'file_not_found' }),
  wrongPurpose: (id: string, purpose: string, param: string) =>
    platformError(400, {
      message: `The file ${id} has the purpose '${purpose}'. Upload the examples with the purpose 'fine-tune'.`,
      param,
      code: 'invalid_purpose',
    }),
  otherBase: (model: string, base: string) =>
    platformError(400, {
      message: `The model '${model}' was fine-tuned on another version of ${base} than the one that is installed now: the file has changed. Train it again, or put the earlier file back.`,
      param: 'model',
      code: 'model_not_available',
    }),
  cannotTrain: (model: string) =>
    platformError(400, {
      message: `The model ${model} cannot be fine-tuned here: only models in GGUF files can, such as those that answer chats.`,
      param: 'model',
      code: 'model_not_available',
    }),
  tunedBase: (model: string, base: string) =>
    platformError(400, {
      message: `The model '${model}' is fine-tuned already, and is no base for another training. Name its base '${base}' as 'model', and put the examples of the earlier training into the file too: the new model then learns both.`,
      param: 'model',
      code: 'model_not_available',
    }),
  noSuchMethod: (type: string) =>
    platformError(400, {
      message: `This server trains by the method 'supervised' alone, not by '${type}'.`,
      param: 'method.type',
      code: 'unsupported_parameter',
    }),
  hyperparametersTwice: () =>
    platformError(400, {
      message: "Give the hyperparameters in 'method.supervised' or in 'hyperparameters', not in both.",
      param: 'hyperparameters',
      code: 'invalid_value',
    }),
  noIntegrations: () =>
    platformError(400, {
      message: "This server sends no metrics to other services. Leave out 'integrations'.",
      param: 'integrations',
      code: 'unsupported_parameter',
    }),
  cannotCancel: (id: string, status: string) =>
    platformError(400, { message: `Job has already completed: ${id} (status '${status}').`, code: 'job_not_running' }),
  cannotPause: (id: string, status: string) =>
    platformError(400, {
      message: `The job ${id} cannot be paused: it has ended (status '${status}').`,
      code: 'job_not_running',
    }),
  cannotPauseElsewhere: (id: string) =>
    platformError(400, {
      message: `The job ${id} cannot be paused: another server trains its model. Let it run, or cancel it.`,
      code: 'job_not_pausable',
    }),
  cannotResume: (id: string, status: string) =>
    platformError(400, {
      message: `The job ${id} cannot be resumed: it is not paused (status '${status}').`,
      code: 'job_not_paused',
    }),
}
