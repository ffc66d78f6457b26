// What the page at /docs does in the browser. Text reaches the page only as text nodes, never as markup.

const make = (tag, className, ...inner) => {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...inner)
  return element
}
const methods = ['get', 'post', 'put', 'patch', 'delete']

let components = {}
const resolve = (schema) => {
  const match = /^#\/components\/schemas\/(.+)$/.exec(schema?.$ref ?? '')
  return match ? components[match[1]] : schema
}
const typeOf = (raw, depth = 0) => {
  const schema = resolve(raw)
  if (!schema || depth > 4) return ''
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf || schema.oneOf
  if (choices) return [...new Set(choices.map((choice) => typeOf(choice, depth + 1)))].join(' | ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items, depth + 1) || 'any'}`
  const limits = [
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'pattern',
    'format',
    'default',
  ]
    .filter((name) => schema[name] !== undefined)
    .map((name) => `${name} ${JSON.stringify(schema[name])}`)
  return [[schema.type || 'any'].flat().join(' | '), ...limits].join(', ')
}
const childrenOf = (raw) => {
  const schema = resolve(raw)
  if (!schema) return []
  if (schema.properties) {
    return Object.entries(schema.properties).map(([name, inner]) => [
      name,
      inner,
      (schema.required || []).includes(name),
    ])
  }
  if (schema.type === 'array') return childrenOf(schema.items)
  return (schema.anyOf || schema.oneOf || []).flatMap((choice, index) => {
    const inner = childrenOf(choice)
    return inner.length ? [[`choice ${index + 1}`, choice, false]] : []
  })
}
const field = (name, raw, needed) => {
  const schema = resolve(raw)
  const line = [make('span', 'name', name), ' ', make('span', 'type', typeOf(schema))]
  if (needed) line.push(' ', make('span', 'needed', 'required'))
  if (schema?.description) line.push(make('div', 'type', schema.description))
  const inner = childrenOf(schema)
  if (!inner.length) return make('div', 'field', ...line)
  const details = make('details', 'field', make('summary', '', ...line))
  details.addEventListener('toggle', () => details.append(...inner.map((child) => field(...child))), {
    once: true,
  })
  return details
}
const fieldsOf = (title, schema) => {
  const fields = childrenOf(schema)
  const shown = fields.length
    ? fields.map((one) => field(...one))
    : [make('div', 'field', make('span', 'type', typeOf(schema)))]
  return [make('h3', '', title), ...shown]
}
const sample = (raw, depth = 0) => {
  const schema = resolve(raw) || {}
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const choices = schema.anyOf || schema.oneOf
  if (choices) return sample(choices[0], depth)
  if (schema.type === 'array') return depth > 4 ? [] : [sample(schema.items, depth + 1)]
  if (schema.properties) {
    if (depth > 4) return {}
    return Object.fromEntries((schema.required || []).map((name) => [name, sample(schema.properties[name], depth + 1)]))
  }
  return (
    { string: 'text', integer: Math.max(1, schema.minimum || 1), number: 1, boolean: true, null: null }[schema.type] ??
    {}
  )
}
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`
const curl = (path, method, operation) => {
  const needed = (operation.parameters || []).filter((one) => one.in === 'query' && one.required)
  const query = needed.map((one) => `${one.name}=${encodeURIComponent(sample(one.schema))}`).join('&')
  const lines = [`curl ${quoted(location.origin + path + (query && `?${query}`))}`]
  if (method !== 'get' && method !== 'post') lines.push(`-X ${method.toUpperCase()}`)
  if ((operation.security || []).length) lines.push('-H "Authorization: Bearer $ATOLL_API_KEY"')
  const content = operation.requestBody?.content
  if (content?.['application/json']) {
    const { schema } = content['application/json']
    lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(sample(schema)))}`)
  } else if (content) {
    const { schema } = content['multipart/form-data']
    for (const name of schema.required) {
      const { format } = schema.properties[name]
      lines.push(`-F ${name}=${format === 'binary' ? '@your-file' : quoted(String(sample(schema.properties[name])))}`)
    }
  } else if (method === 'post') lines.push('-X POST')
  return lines.join(' \\\n  ')
}
const fill = (inside, path, method, operation) => {
  const command = curl(path, method, operation)
  const copy = make('button', '', 'Copy')
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(command)
    copy.textContent = 'Copied'
  })
  inside.append(make('h3', '', 'Try it'), make('pre', '', command), copy)
  for (const place of ['path', 'query']) {
    const some = (operation.parameters || []).filter((one) => one.in === place)
    if (some.length)
      inside.append(make('h3', '', `In the ${place}`), ...some.map((one) => field(one.name, one.schema, one.required)))
  }
  for (const [type, { schema }] of Object.entries((operation.requestBody || { content: {} }).content)) {
    inside.append(...fieldsOf(`Body · ${type}`, schema))
  }
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (status === 'default') continue
    const [entry] = Object.entries(answer.content || {})
    if (entry) inside.append(...fieldsOf(`Answer · ${status} · ${entry[0]}`, entry[1].schema))
    else inside.append(make('h3', '', `Answer · ${status}`), make('div', 'field', answer.description))
  }
}
const show = (path, method, operation) => {
  const line = make(
    'summary',
    '',
    make('span', `method ${method}`, method),
    make('span', 'path', path),
    make('span', 'summary', operation.summary || ''),
  )
  const details = make('details', 'operation', line)
  details.id = operation.operationId
  details.dataset.words = [method, path, operation.summary, operation.operationId].join(' ').toLowerCase()
  details.addEventListener(
    'toggle',
    () => {
      const inside = make('div', 'inside')
      fill(inside, path, method, operation)
      details.append(inside)
    },
    { once: true },
  )
  return details
}
const groupOf = (path) => {
  const words = path.split('/').filter((word) => word && !/^v\d/.test(word) && !word.startsWith('{'))
  return words[0] || '/'
}
const render = (document_) => {
  const main = document.getElementById('main')
  const nav = document.getElementById('nav')
  components = document_.components.schemas
  document.getElementById('version').textContent = document_.info.version
  const groups = new Map()
  for (const [path, item] of Object.entries(document_.paths)) {
    for (const method of methods.filter((name) => item[name])) {
      const name = groupOf(path)
      if (!groups.has(name)) groups.set(name, [])
      groups.get(name).push(show(path, method, item[method]))
    }
  }
  main.replaceChildren()
  for (const [name, operations] of [...groups].sort(([one], [other]) => one.localeCompare(other))) {
    const title = make('h2', '', name)
    title.id = `group-${name}`
    main.append(make('section', '', title, ...operations))
    const link = make('a', '', name, make('small', '', String(operations.length)))
    link.href = `#${title.id}`
    nav.append(link)
  }
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target) {
    if (target.tagName === 'DETAILS') target.open = true
    target.scrollIntoView()
  }
}
const search = document.getElementById('search')
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
  for (const section of document.querySelectorAll('main section')) {
    let some = false
    for (const one of section.querySelectorAll('details.operation')) {
      one.hidden = !words.every((word) => one.dataset.words.includes(word))
      some = some || !one.hidden
    }
    section.hidden = !some
  }
})
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== search) {
    event.preventDefault()
    search.focus()
  }
  if (event.key === 'Escape') {
    search.value = ''
    search.dispatchEvent(new Event('input'))
  }
})
fetch('/openapi.json')
  .then((response) => response.json())
  .then(render)
  .catch((error) => {
    document.getElementById('main').replaceChildren(make('p', '', `The document could not be loaded: ${error.message}`))
  })
