// The errors of pictures, in the words programs know.
import type { HttpError } from '@atoll/kernel/http/error'
import { platformError } from './errors.ts'

const refused = (param: string, message: string, code = 'invalid_value'): HttpError =>
  platformError(400, { message, param, code })

const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ')

export const imageErrors = {
  contentPolicy: () =>
    platformError(400, {
      message:
        'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.',
      code: 'content_policy_violation',
    }),
  promptTooLong: (model: string, max: number, given: number) =>
    refused(
      'prompt',
      `Invalid 'prompt': string too long. Expected a string with maximum length ${max} for ${model}, but got a string with length ${given} instead.`,
      'string_above_max_length',
    ),
  size: (model: string, size: string, supported: readonly string[]) =>
    refused(
      'size',
      `The size '${size}' is not supported by the model ${model}. Supported values are: ${list(supported)}.`,
    ),
  onlyOne: (model: string) =>
    refused('n', `The model ${model} draws one image for each request: send 'n' = 1, and several requests.`),
  onlyNewer: (param: string, model: string) =>
    refused(param, `The parameter '${param}' is not supported by the model ${model}.`, 'unsupported_parameter'),
  onlyOlder: (model: string, what: string) =>
    refused('model', `The model ${model} does not support image ${what}. Use dall-e-2.`),
  notPng: (param: string) =>
    refused(param, `Uploaded ${param} must be a PNG and less than 4 MB.`, 'invalid_image_format'),
  notSquare: (param: string, width: number, height: number) =>
    refused(param, `Uploaded ${param} must be square, but it has ${width} x ${height} pixels.`, 'invalid_image_size'),
  tooManyPixels: (param: string, width: number, height: number, max: number) =>
    refused(
      param,
      `Uploaded ${param} has ${width} x ${height} pixels, and may have at most ${max} x ${max}.`,
      'invalid_image_size',
    ),
  otherSizeThanImage: () =>
    refused('mask', 'Uploaded mask must have the same size as the image.', 'invalid_image_size'),
  noTransparency: () =>
    refused(
      'image',
      "Invalid input image: it has no transparency, which says where to edit. Send an image with an alpha channel, or a 'mask'.",
      'invalid_image_format',
    ),
  maskWithoutAlpha: () =>
    refused(
      'mask',
      'Invalid mask: it has no alpha channel. Its fully transparent areas say where to edit.',
      'invalid_image_format',
    ),
  badSignature: () =>
    platformError(403, {
      message: 'The signature of this URL is wrong. Use the URL of the image as it was answered.',
      code: 'invalid_signature',
    }),
  expired: () =>
    platformError(404, {
      message: 'This image is no longer here: the URL of an image works for an hour.',
      code: 'image_expired',
    }),
}
