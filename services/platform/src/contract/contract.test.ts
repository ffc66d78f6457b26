// The promise of /v1: what worked with an earlier release works with this one.
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describePlatformOnSqlite } from '../testing/describe-platform.ts'
import { breakingChanges, type OpenApi } from './compatible.ts'

const promised = JSON.parse(readFileSync(new URL('./v1.json', import.meta.url), 'utf8')) as OpenApi
const copy = (): OpenApi => structuredClone(promised)

/** The schema objects of a JSON operation, to be changed by a test. */
function uploadBody(document: OpenApi) {
  return document.paths['/v1/uploads']?.post?.requestBody?.content?.['application/json']?.schema ?? {}
}

function fileAnswer(document: OpenApi) {
  return document.paths['/v1/files/{file_id}']?.get?.responses?.['200']?.content?.['application/json']?.schema ?? {}
}

describePlatformOnSqlite('the /v1 contract', (start) => {
  it('INF-226 INF-227 is kept by this version: every operation, parameter and property promised is still there', async () => {
    const platform = await start()
    const document = (await (await fetch(`${platform.url}/openapi.json`)).json()) as OpenApi
    expect(Object.keys(promised.paths).length).toBeGreaterThan(5)
    expect(Object.keys(document.paths).filter((path) => !path.startsWith('/v1/'))).toEqual([])
    expect(breakingChanges(promised, document)).toEqual([])
    const changelog = new URL('../../../../CHANGELOG.md', import.meta.url)
    expect(existsSync(changelog) && readFileSync(changelog, 'utf8')).toContain('Breaking')
  })

  it('INF-227 tolerates new URLs and notices lost ones', () => {
    const newer = copy()
    newer.paths['/v1/new'] = { get: {} }
    expect(breakingChanges(promised, newer)).toEqual([])
    delete newer.paths['/v1/files']
    expect(breakingChanges(promised, newer)).toContain('POST /v1/files is gone')
  })

  it('INF-228 tolerates new optional parameters and notices newly required ones', () => {
    const newer = copy()
    const body = uploadBody(newer)
    body.properties = { ...body.properties, colour: { type: 'string' } }
    expect(breakingChanges(promised, newer)).toEqual([])
    body.required = [...(body.required ?? []), 'colour']
    expect(breakingChanges(promised, newer)).toEqual(['POST /v1/uploads body newly requires colour'])
  })

  it('INF-229 tolerates new properties in answers and notices lost ones', () => {
    const newer = copy()
    const answer = fileAnswer(newer)
    answer.properties = { ...answer.properties, colour: { type: 'string' } }
    expect(breakingChanges(promised, newer)).toEqual([])
    delete answer.properties?.filename
    expect(breakingChanges(promised, newer)).toEqual(['GET /v1/files/{file_id} answer lost filename'])
  })

  it('INF-230 does not mind the order of properties', () => {
    const newer = copy()
    const answer = fileAnswer(newer)
    answer.properties = Object.fromEntries(Object.entries(answer.properties ?? {}).reverse())
    answer.required?.reverse()
    expect(breakingChanges(promised, newer)).toEqual([])
  })
})
