import { bytes, empty, json } from '@atoll/kernel/http/reply'
import { multipart, type RequestHead } from '@atoll/kernel/http/route'
import { defineRoute, type ProjectCaller } from '../../callers.ts'
import type { KeptImages } from './kept-images.ts'
import {
  CreateImage,
  EditImageFields,
  ImageParams,
  ImageQuery,
  ImagesResponse,
  maxImageBytes,
  VaryImageFields,
} from './schema.ts'
import type { CreatedImages, ImageCall, Images } from './service.ts'

interface Asked extends RequestHead {
  caller: ProjectCaller
  signal: AbortSignal
}

/** URLs begin as the client reaches this server; a proxy in front that speaks TLS says so. */
function callOf({ caller, signal, headers, isEncrypted }: Asked): ImageCall {
  const isSecure = isEncrypted || headers['x-forwarded-proto'] === 'https'
  return { caller, signal, origin: `${isSecure ? 'https' : 'http'}://${headers.host ?? 'localhost'}` }
}

const answer = async (created: Promise<CreatedImages>) => {
  const { images, headers } = await created
  return json(200, images, headers)
}

export const imageRoutes = (images: Images, kept: KeptImages) => [
  defineRoute({
    method: 'POST',
    path: '/v1/images/generations',
    auth: 'project',
    summary: 'Draw images from a prompt',
    body: CreateImage,
    response: ImagesResponse,
    handler: (exchange) => answer(images.generate(exchange.body, callOf(exchange))),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/images/edits',
    auth: 'project',
    summary: 'Draw anew what a mask leaves open of an image',
    body: multipart({ fields: EditImageFields, file: 'image', optionalFiles: ['mask'], maxFileBytes: maxImageBytes }),
    response: ImagesResponse,
    handler: (exchange) => {
      const { fields, file: image, optionalFiles } = exchange.body
      return answer(images.edit(fields, { image, mask: optionalFiles.mask }, callOf(exchange)))
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/images/variations',
    auth: 'project',
    summary: 'Draw variations of an image',
    body: multipart({ fields: VaryImageFields, file: 'image', maxFileBytes: maxImageBytes }),
    response: ImagesResponse,
    handler: (exchange) => {
      const { fields, file } = exchange.body
      return answer(images.vary(fields, file, callOf(exchange)))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/images/:image_id/content',
    auth: 'public',
    summary: 'Download an image by its signed URL',
    params: ImageParams,
    query: ImageQuery,
    response: 'bytes',
    handler: async ({ params, query, method }) => {
      const image = await kept.open(params.image_id, query)
      const headers = {
        'content-type': 'image/png',
        'content-length': String(image.bytes),
        'content-disposition': `inline; filename="${params.image_id}.png"`,
        'cache-control': `private, max-age=${image.expiresIn}, immutable`,
        'x-content-type-options': 'nosniff',
      }
      return method === 'HEAD' ? empty(200, headers) : bytes(image.read(), headers)
    },
  }),
]
