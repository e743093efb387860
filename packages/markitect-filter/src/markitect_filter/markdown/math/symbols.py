"""Tables: Unicode characters and function names to TeX commands known to KaTeX, MathJax and LaTeX with AMS symbols.

Each table is a text of `characters command` pairs. A character in no table stays as it is.
"""

from __future__ import annotations

from .fragment import Kind


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


LETTERS = _pairs(r"""
    α \alpha β \beta γ \gamma δ \delta ε \varepsilon ϵ \epsilon ζ \zeta η \eta θ \theta ϑ \vartheta ι \iota
    κ \kappa ϰ \varkappa λ \lambda μ \mu µ \mu ν \nu ξ \xi π \pi ϖ \varpi ρ \rho ϱ \varrho σ \sigma ς \varsigma
    τ \tau υ \upsilon φ \varphi ϕ \phi χ \chi ψ \psi ω \omega ϝ \digamma
    Γ \Gamma Δ \Delta ∆ \Delta Θ \Theta Λ \Lambda Ξ \Xi Π \Pi Σ \Sigma Υ \Upsilon Φ \Phi Ψ \Psi Ω \Omega Ω \Omega
    ℎ h ℓ \ell ℏ \hbar ℘ \wp ℜ \Re ℑ \Im ℵ \aleph ℶ \beth ℷ \gimel ℸ \daleth ı \imath ȷ \jmath ð \eth
    ∂ \partial ∇ \nabla ∞ \infty ∅ \emptyset ⌀ \varnothing ∀ \forall ∃ \exists ∄ \nexists ⊤ \top ⊥ \bot
    ∠ \angle ∡ \measuredangle ∢ \sphericalangle ¬ \neg √ \surd ♭ \flat ♮ \natural ♯ \sharp ° {}^{\circ}
    ♠ \spadesuit ♡ \heartsuit ♢ \diamondsuit ♣ \clubsuit ✓ \checkmark ✠ \maltese ∁ \complement
    □ \square ■ \blacksquare △ \triangle ▴ \blacktriangle ▲ \blacktriangle ▽ \triangledown ▼ \blacktriangledown
    ◊ \lozenge ⧫ \blacklozenge ★ \bigstar © \copyright ® \circledR £ \pounds ¥ \yen § \S ¶ \P † \dagger ‡ \ddagger
    … \ldots ⋯ \cdots ⋮ \vdots ⋱ \ddots … \ldots ∎ \blacksquare ℧ \mho Å \mathring{A}
    ⌜ \ulcorner ⌝ \urcorner ⌞ \llcorner ⌟ \lrcorner
    # \# % \% & \& $ \$ _ \_ { \{ } \} \ \backslash ^ \text{\textasciicircum} ~ \sim ` \text{`} " \text{"} * \ast
""")

BINARY = _pairs(r"""
    + + - - − - ± \pm ∓ \mp × \times ÷ \div · \cdot ⋅ \cdot ∙ \bullet • \bullet ∗ \ast * \ast ⋆ \star ∘ \circ
    ∖ \setminus ∩ \cap ∪ \cup ⊎ \uplus ⊓ \sqcap ⊔ \sqcup ∧ \wedge ∨ \vee ⊻ \veebar ⊼ \barwedge ⊕ \oplus ⊖ \ominus
    ⊗ \otimes ⊘ \oslash ⊙ \odot ⊚ \circledcirc ⊛ \circledast ⊝ \circleddash ⊞ \boxplus ⊟ \boxminus ⊠ \boxtimes
    ⊡ \boxdot ≀ \wr ⨿ \amalg ⋄ \diamond ◇ \diamond ∔ \dotplus ⋉ \ltimes ⋊ \rtimes ⋋ \leftthreetimes
    ⋌ \rightthreetimes ⋎ \curlyvee ⋏ \curlywedge ⋒ \Cap ⋓ \Cup ⋇ \divideontimes ◯ \bigcirc ⊺ \intercal ∸ \dot{-}
    ⊲ \vartriangleleft ⊳ \vartriangleright ⌅ \barwedge && \mathbin{\&\&}
""")

RELATIONS = _pairs(r"""
    = = < < > > : : ≤ \le ≥ \ge ⩽ \leqslant ⩾ \geqslant ≦ \leqq ≧ \geqq ≪ \ll ≫ \gg ⋘ \lll ⋙ \ggg ≠ \ne ≢ \not\equiv
    ≡ \equiv ∼ \sim ≁ \nsim ≃ \simeq ≄ \not\simeq ≅ \cong ≇ \ncong ≈ \approx ≉ \not\approx ≊ \approxeq ≍ \asymp
    ≐ \doteq ≑ \doteqdot ≒ \fallingdotseq ≓ \risingdotseq ≔ := ≕ =: ≖ \eqcirc ≗ \circeq ≜ \triangleq ≏ \bumpeq
    ≎ \Bumpeq ∝ \propto ∽ \backsim ⋍ \backsimeq ∈ \in ∉ \notin ∋ \ni ∌ \not\ni ∊ \in ⊂ \subset ⊃ \supset ⊄ \not\subset
    ⊅ \not\supset ⊆ \subseteq ⊇ \supseteq ⊈ \nsubseteq ⊉ \nsupseteq ⊊ \subsetneq ⊋ \supsetneq ⫅ \subseteqq
    ⫆ \supseteqq ⫋ \subsetneqq ⫌ \supsetneqq ⋐ \Subset ⋑ \Supset ⊏ \sqsubset ⊐ \sqsupset ⊑ \sqsubseteq ⊒ \sqsupseteq
    ≺ \prec ≻ \succ ≼ \preccurlyeq ≽ \succcurlyeq ⪯ \preceq ⪰ \succeq ≾ \precsim ≿ \succsim ⊀ \nprec ⊁ \nsucc
    ≲ \lesssim ≳ \gtrsim ⪅ \lessapprox ⪆ \gtrapprox ≶ \lessgtr ≷ \gtrless ⋚ \lesseqgtr ⋛ \gtreqless ≨ \lneqq
    ≩ \gneqq ⪇ \lneq ⪈ \gneq ≮ \nless ≯ \ngtr ≰ \nleq ≱ \ngeq ⋖ \lessdot ⋗ \gtrdot ∣ \mid ∤ \nmid ∦ \nparallel
    ⟂ \perp ⊢ \vdash ⊣ \dashv ⊨ \models ⊩ \Vdash ⊪ \Vvdash ⊬ \nvdash ⊭ \nvDash ⊮ \nVdash ⊯ \nVDash ⋈ \bowtie
    ⌣ \smile ⌢ \frown ≬ \between ⋔ \pitchfork ∴ \therefore ∵ \because ⊴ \trianglelefteq ⊵ \trianglerighteq
    ⋪ \ntriangleleft ⋫ \ntriangleright ⋬ \ntrianglelefteq ⋭ \ntrianglerighteq ∷ :: ∶ : := := =: =: == == != \ne
    <= \le >= \ge -> \to <- \gets => \Rightarrow <=> \Leftrightarrow ≟ \overset{?}{=} ≝ \overset{\text{def}}{=}
    ⇏ \nRightarrow ⇍ \nLeftarrow ⇎ \nLeftrightarrow ↛ \nrightarrow ↚ \nleftarrow ↮ \nleftrightarrow
    ⇝ \rightsquigarrow ⊸ \multimap ↾ \upharpoonright ⇂ \downharpoonright ↿ \upharpoonleft ⇃ \downharpoonleft
    ⇉ \rightrightarrows ⇇ \leftleftarrows ⇄ \rightleftarrows ⇆ \leftrightarrows ↗ \nearrow ↘ \searrow ↙ \swarrow
    ↖ \nwarrow ⇚ \Lleftarrow ⇛ \Rrightarrow ↣ \rightarrowtail ↢ \leftarrowtail ↝ \leadsto ↻ \circlearrowright
    ↺ \circlearrowleft ⇈ \upuparrows ⇊ \downdownarrows ⟼ \longmapsto ↭ \leftrightsquigarrow ↶ \curvearrowleft
    ↷ \curvearrowright ↰ \Lsh ↱ \Rsh
""")

ARROWS = _pairs(r"""
    → \to ← \gets ↔ \leftrightarrow ⇒ \Rightarrow ⇐ \Leftarrow ⇔ \Leftrightarrow ↦ \mapsto ⟶ \longrightarrow
    ⟵ \longleftarrow ⟷ \longleftrightarrow ⟹ \Longrightarrow ⟸ \Longleftarrow ⟺ \iff ↪ \hookrightarrow
    ↩ \hookleftarrow ⇌ \rightleftharpoons ⇋ \leftrightharpoons ⇀ \rightharpoonup ⇁ \rightharpoondown
    ↼ \leftharpoonup ↽ \leftharpoondown ↠ \twoheadrightarrow ↞ \twoheadleftarrow
""")

#: Arrows that grow with a label, as the command taking the label.
EXTENSIBLE = _pairs(r"""
    → \xrightarrow ← \xleftarrow ↔ \xleftrightarrow ⇒ \xRightarrow ⇐ \xLeftarrow ⇔ \xLeftrightarrow ↦ \xmapsto
    ⟶ \xrightarrow ⟵ \xleftarrow ⟷ \xleftrightarrow ⟹ \xRightarrow ⟸ \xLeftarrow ⟺ \xLeftrightarrow
    ↪ \xhookrightarrow ↩ \xhookleftarrow ⇌ \xrightleftharpoons ⇋ \xleftrightharpoons
    ⇀ \xrightharpoonup ⇁ \xrightharpoondown ↼ \xleftharpoonup ↽ \xleftharpoondown
    ↠ \xtwoheadrightarrow ↞ \xtwoheadleftarrow
""")

LARGE = _pairs(r"""
    ∑ \sum ∏ \prod ∐ \coprod ⋂ \bigcap ⋃ \bigcup ⨆ \bigsqcup ⋁ \bigvee ⋀ \bigwedge ⨁ \bigoplus ⨂ \bigotimes
    ⨀ \bigodot ⨄ \biguplus ∫ \int ∬ \iint ∭ \iiint ∮ \oint ∯ \oiint ∰ \oiiint ⨌ \int\!\!\iiint
""")

INTEGRALS = frozenset("∫∬∭∮∯∰⨌")

PUNCTUATION = _pairs(", , ; ;")

PRIMES = {"′": "'", "″": "''", "‴": "'''", "⁗": "''''", "'": "'", "''": "''", "′′": "''", "′′′": "'''"}

#: Dropped, except that an invisible operator keeps two numbers apart.
INVISIBLE = frozenset("\u2061\u2062\u2063\u2064\u200b\u2060\ufeff\u00ad\ufe0e\ufe0f")

#: Fences: how the character is written open, closed, and after \left, \right.
DELIMITERS: dict[str, tuple[str, str, str]] = {
    "(": ("(", "(", "("),
    ")": (")", ")", ")"),
    "[": ("[", "[", "["),
    "]": ("]", "]", "]"),
    "{": (r"\{", r"\{", r"\{"),
    "}": (r"\}", r"\}", r"\}"),
    "|": (r"\lvert", r"\rvert", r"\vert"),
    "‖": (r"\lVert", r"\rVert", r"\Vert"),
    "⌊": (r"\lfloor", r"\lfloor", r"\lfloor"),
    "⌋": (r"\rfloor", r"\rfloor", r"\rfloor"),
    "⌈": (r"\lceil", r"\lceil", r"\lceil"),
    "⌉": (r"\rceil", r"\rceil", r"\rceil"),
    "⟨": (r"\langle", r"\langle", r"\langle"),
    "⟩": (r"\rangle", r"\rangle", r"\rangle"),
    "⟮": (r"\lgroup", r"\lgroup", r"\lgroup"),
    "⟯": (r"\rgroup", r"\rgroup", r"\rgroup"),
    "⎰": (r"\lmoustache", r"\lmoustache", r"\lmoustache"),
    "⎱": (r"\rmoustache", r"\rmoustache", r"\rmoustache"),
    "/": ("/", "/", "/"),
    "\\": (r"\backslash", r"\backslash", r"\backslash"),
    "↑": (r"\uparrow", r"\uparrow", r"\uparrow"),
    "↓": (r"\downarrow", r"\downarrow", r"\downarrow"),
    "↕": (r"\updownarrow", r"\updownarrow", r"\updownarrow"),
    "⇑": (r"\Uparrow", r"\Uparrow", r"\Uparrow"),
    "⇓": (r"\Downarrow", r"\Downarrow", r"\Downarrow"),
    "⇕": (r"\Updownarrow", r"\Updownarrow", r"\Updownarrow"),
}

#: Characters that look like another fence.
SAME_FENCE = {
    "\u2329": "⟨", "\u232a": "⟩", "\u3008": "⟨", "\u3009": "⟩", "∥": "‖", "||": "‖", "∣": "|", "❘": "|",
    "❲": "[", "❳": "]", "〔": "[", "〕": "]", "（": "(", "）": ")", "⦃": "{", "⦄": "}",
}  # fmt: skip

OPENING = frozenset("([{⌊⌈⟨⟮⎰")
CLOSING = frozenset(")]}⌋⌉⟩⟯⎱")
BARS = frozenset("|‖")

#: Environment of a matrix between two fences.
MATRICES = {
    ("(", ")"): "pmatrix",
    ("[", "]"): "bmatrix",
    ("{", "}"): "Bmatrix",
    ("|", "|"): "vmatrix",
    ("‖", "‖"): "Vmatrix",
}

#: Accents above: the command over one letter, and over more than one.
OVER_ACCENTS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(["^", "ˆ", "\u0302", "⌃"], (r"\hat", r"\widehat")),
    **dict.fromkeys(["~", "˜", "\u0303", "∼"], (r"\tilde", r"\widetilde")),
    **dict.fromkeys(["¯", "‾", "ˉ", "\u0304", "\u0305", "_", "―", "—"], (r"\bar", r"\overline")),
    **dict.fromkeys(["ˇ", "\u030c"], (r"\check", r"\widecheck")),
    **dict.fromkeys(["→", "\u20d7", "⟶"], (r"\vec", r"\overrightarrow")),
    **dict.fromkeys(["←", "\u20d6", "⟵"], (r"\overleftarrow", r"\overleftarrow")),
    **dict.fromkeys(["↔", "\u20e1"], (r"\overleftrightarrow", r"\overleftrightarrow")),
    **dict.fromkeys(["⇀", "\u20d1"], (r"\overrightharpoon", r"\overrightharpoon")),
    **dict.fromkeys(["↼", "\u20d0"], (r"\overleftharpoon", r"\overleftharpoon")),
    **dict.fromkeys(["˙", ".", "·", "⋅", "\u0307"], (r"\dot", r"\dot")),
    **dict.fromkeys(["¨", "..", "\u0308"], (r"\ddot", r"\ddot")),
    **dict.fromkeys(["...", "⃛", "\u20db"], (r"\dddot", r"\dddot")),
    **dict.fromkeys(["´", "ˊ", "\u0301"], (r"\acute", r"\acute")),
    **dict.fromkeys(["`", "ˋ", "\u0300"], (r"\grave", r"\grave")),
    **dict.fromkeys(["˘", "\u0306"], (r"\breve", r"\breve")),
    **dict.fromkeys(["˚", "\u030a"], (r"\mathring", r"\mathring")),
    **dict.fromkeys(["⏞", "︷"], (r"\overbrace", r"\overbrace")),
    **dict.fromkeys(["⏜", "⌒", "︵"], (r"\overgroup", r"\overgroup")),
}

UNDER_ACCENTS = {
    **dict.fromkeys(["_", "¯", "‾", "\u0332", "ˍ", "―", "—"], r"\underline"),
    **dict.fromkeys(["⏟", "︸"], r"\underbrace"),
    **dict.fromkeys(["⏝", "︶"], r"\undergroup"),
    **dict.fromkeys(["→", "⟶", "\u20ef"], r"\underrightarrow"),
    **dict.fromkeys(["←", "⟵", "\u20ee"], r"\underleftarrow"),
    "↔": r"\underleftrightarrow",
}

#: Combining marks that are an accent in text too.
TEXT_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")

_BARE_NAMES = """
    arccos arcsin arctan arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh
"""
_LIMIT_NAMES = "det gcd inf lim liminf limsup max min sup Pr"

#: Function names with a command, and whether scripts below and above are limits.
NAMES: dict[str, tuple[str, Kind]] = {
    **{name: ("\\" + name, Kind.NAME) for name in _BARE_NAMES.split()},
    **{name: ("\\" + name, Kind.LARGE) for name in _LIMIT_NAMES.split()},
    "lim inf": (r"\liminf", Kind.LARGE),
    "lim sup": (r"\limsup", Kind.LARGE),
    "mod": (r"\bmod", Kind.BINARY),
}

#: mathvariant: what stands before and after the styled TeX.
VARIANTS: dict[str, tuple[str, str]] = {
    "normal": (r"\mathrm{", "}"),
    "bold": (r"\mathbf{", "}"),
    "italic": (r"\mathit{", "}"),
    "bold-italic": (r"\boldsymbol{", "}"),
    "double-struck": (r"\mathbb{", "}"),
    "script": (r"\mathcal{", "}"),
    "bold-script": (r"\boldsymbol{\mathcal{", "}}"),
    "fraktur": (r"\mathfrak{", "}"),
    "bold-fraktur": (r"\boldsymbol{\mathfrak{", "}}"),
    "sans-serif": (r"\mathsf{", "}"),
    "bold-sans-serif": (r"\boldsymbol{\mathsf{", "}}"),
    "sans-serif-italic": (r"\mathsf{", "}"),
    "sans-serif-bold-italic": (r"\boldsymbol{\mathsf{", "}}"),
    "monospace": (r"\mathtt{", "}"),
}
