-- The places that links lead to, for every format that pandoc writes: canonical Markdown marks them with <a id="…"></a>,
-- which pandoc passes on to HTML and leaves out elsewhere.
--
--   pandoc -f commonmark+pipe_tables+strikeout+footnotes+tex_math_dollars --lua-filter anchors.lua book.md -o book.docx

function RawInline(raw)
  if raw.format ~= "html" then
    return nil
  end
  local id = raw.text:match('^<a id="([^"]*)">$')
  if id then
    return pandoc.Span({}, pandoc.Attr(id))
  elseif raw.text == "</a>" then
    return {}
  end
end
