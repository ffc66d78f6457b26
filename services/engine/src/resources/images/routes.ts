import { bytes, empty } from '@atoll/kernel/http/reply'
import type { Route } from '@atoll/kernel/http/route'
import { z } from 'zod'
import { defineRoute, type EngineCallers } from '../../callers.ts'
import type { ImageRegistry } from '../../images/image-registry.ts'
import { streamedReply } from '../../images/progress.ts'
import { filters, flag, maybeNumber } from '../query/schema.ts'
import { createOrPull } from './create.ts'
import { pushReply } from './push.ts'
import * as schema from './schema.ts'
import { searchImages } from './search.ts'
import type { ImagesService } from './service.ts'

const text = z.string().default('')
const many = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat()))
const tarHeaders = { 'content-type': 'application/x-tar' }

export const imageRoutes = (service: ImagesService, registry: ImageRegistry): Route<EngineCallers>[] => [
  ...allImagesRoutes(service, registry),
  ...namedImageRoutes(service, registry),
]

const allImagesRoutes = (service: ImagesService, registry: ImageRegistry): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/images/json',
    auth: 'anyone',
    summary: 'List images',
    query: z.object({ all: flag, filters, 'shared-size': flag, manifests: flag, digests: flag }),
    response: z.array(schema.ImageSummary),
    handler: ({ query }) => service.list(query),
  }),
  defineRoute({
    method: 'POST',
    path: '/images/create',
    auth: 'anyone',
    summary: 'Pull an image, or import one',
    query: z.object({
      fromImage: text,
      fromSrc: text,
      repo: text,
      tag: text,
      message: text,
      platform: text,
      changes: many,
    }),
    body: 'stream',
    response: 'bytes',
    handler: ({ query, body, headers, signal }) =>
      createOrPull({ service, registry }, query, { body, headers, signal }),
  }),
  defineRoute({
    method: 'POST',
    path: '/images/load',
    auth: 'anyone',
    summary: 'Load saved images',
    query: z.object({ quiet: flag }),
    body: 'stream',
    response: 'bytes',
    // Clients look for trouble in what is streamed.
    handler: ({ query, body, signal, ways }) =>
      streamedReply(service.load(body, { ...query, silent: ways.has('load-without-progress'), signal })),
  }),
  defineRoute({
    method: 'GET',
    path: '/images/get',
    auth: 'anyone',
    summary: 'Save several images',
    query: z.object({ names: many }),
    response: 'bytes',
    handler: async ({ query }) => bytes(await service.save(query.names), tarHeaders),
  }),
  defineRoute({
    method: 'GET',
    path: '/images/search',
    auth: 'anyone',
    summary: 'Search images',
    query: z.object({ term: text, limit: maybeNumber, filters }),
    response: z.array(schema.SearchResult),
    handler: ({ query, headers, signal }) => searchImages(registry, { ...query, headers, signal }),
  }),
  defineRoute({
    method: 'POST',
    path: '/images/prune',
    auth: 'anyone',
    summary: 'Remove images nobody uses',
    query: z.object({ filters }),
    response: schema.PruneAnswer,
    handler: ({ query }) => service.prune(query.filters),
  }),
]

/** Of one image. */
const namedImageRoutes = (service: ImagesService, registry: ImageRegistry): Route<EngineCallers>[] => [
  defineRoute({
    method: 'GET',
    path: '/images/:name/json',
    auth: 'anyone',
    summary: 'Show an image',
    params: schema.ImageName,
    response: schema.ImageInspect,
    handler: ({ params }) => service.inspect(params.name),
  }),
  defineRoute({
    method: 'GET',
    path: '/images/:name/history',
    auth: 'anyone',
    summary: 'Show how an image was made',
    params: schema.ImageName,
    response: z.array(schema.HistoryItem),
    handler: ({ params }) => service.history(params.name),
  }),
  defineRoute({
    method: 'GET',
    path: '/images/:name/get',
    auth: 'anyone',
    summary: 'Save an image',
    params: schema.ImageName,
    response: 'bytes',
    handler: async ({ params }) => bytes(await service.save([params.name]), tarHeaders),
  }),
  defineRoute({
    method: 'POST',
    path: '/images/:name/tag',
    auth: 'anyone',
    summary: 'Give an image a name',
    params: schema.ImageName,
    query: z.object({ repo: text, tag: text }),
    response: 'bytes',
    async handler({ params, query }) {
      await service.tag(params.name, query.repo, query.tag)
      return empty(201)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/images/:name/push',
    auth: 'anyone',
    summary: 'Push an image to its registry',
    params: schema.ImageName,
    query: z.object({ tag: text, platform: text }),
    response: 'bytes',
    handler: ({ params, query, headers, signal }) => pushReply(registry, params.name, { ...query, headers, signal }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/images/:name',
    auth: 'anyone',
    summary: 'Remove an image',
    params: schema.ImageName,
    query: z.object({ force: flag, noprune: flag }),
    response: z.array(schema.DeletedItem),
    handler: ({ params, query }) => service.remove(params.name, { force: query.force, prune: !query.noprune }),
  }),
]
