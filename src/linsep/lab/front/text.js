// All words of the page, in English and Czech. Everything that comes from data is inserted as text, never as HTML.

export const STRINGS = {
  en: {
    lab: "linsep lab", data: "Data space", weights: "Weight space", bounds: "Bounds of the margin", value: "Criterion J",
    errors: "Errors of w", novikoff: "Updates and Novikoff’s bound", step: "This update", certificate: "Certificate",
    start: "Start", answer: "Answer", update: "update {k} of {n}", beginning: "before the first update", final: "the answer",
    first: "First", back: "Back", play: "Play", pause: "Pause", next: "Step", last: "Last", speed: "Speed", jump: "Jump to update",
    rule: "Rule", beside: "Beside", none: "nothing", preset: "Data", own: "own points", hulls: "Hulls", strip: "Margin",
    numbers: "Numbers", hand: "By hand", theme: "Dark", projector: "Projector", language: "Čeština", share: "Link", copied: "copied",
    svg: "Frame as SVG", png: "Frame as PNG", json: "Recording (JSON)", csv: "Updates (CSV)", code: "Python code", exports: "Export",
    gif: "Animation (GIF)", visited: "{x} is visited", rows: "a step made from {n} vectors", all: "all {n} vectors count",
    wrong: "⟨w, a⟩ ≤ {goal}: it is violated, so w moves", should: "⟨w, a⟩ should be {goal}", bias: "w₀ = {w0}",
    slice: "slice at {rest}", cone: "every w here separates the data", empty: "no w of this slice separates the data", meanscone: "every w here has each mean on its side: r > 0", meansempty: "no w of this slice has each mean on its side",
    upper: "upper", lower: "lower", updates: "updates", visits: "visits", bound: "Novikoff: {n}", wrongside: "{n} of {all} on the wrong side",
    right: "all {all} on their side", distance: "signed distance from the hyperplane", principal: "first principal direction",
    ambiguous: "no class, or several", region: "decided for {c}", nosteps: "This rule solves the problem at once; there are no updates to follow.",
    budget: "The recording ends here at its budget; the rule would go on.", complete: "The rule ended by itself.",
    proof: "In the library’s words", meet: "Both hulls hold this point: no line can part them.", nearest: "The nearest points of the two hulls.",
    unchecked: "As recorded; not checked here.", nearesteps: "Two points of the hulls; half their distance is within {gap} of the least.", bounding: "Two points of the hulls: no margin is larger than half their distance.",
    support: "{n} rows are the proof.", lifted: "In the plane: {f} = 0", member: "member {k}: {sides}", against: "{a} against {b}", rest: "the rest",
    violates: "{a} against {b}", paste: "Paste or drop a CSV", tool: "Tool", add: "Add", move: "Move", remove: "Delete", relabel: "Relabel",
    clear: "Clear", klass: "Class", loading: "Python is recording … The first time it compiles, which takes some seconds.", csvhelp: "Numbers, the label last; a first line of names is allowed.", use: "Use", cancel: "Cancel",
    toobig: "The file has {mb} MB; the lab takes up to {most}.", toomany: "The lab takes up to {n} points, got {got}.",
    badcsv: "Line {line}: expected {n} numbers and a label, got “{cell}”.", short: "Expected two classes or more. Draw points of another class.",
    badrecording: "This is not a recording of linsep: {why}", unreachable: "Python does not answer. Is linsep lab still running?",
    exercise: "Exercise", question: "Question {k} of {n}", yes: "Yes", no: "No", check: "Check", results: "Export results", correct: "Right.", incorrect: "Not so.",
    qnext: "Which point makes the next update? Click it.", qhand: "Drag the tip of w in the weight space until every point is on its side.",
    qsep: "Can a line separate the two classes?", left: "{n} still on the wrong side", done: "All questions are answered.", proceed: "Next question",
    handw: "your w = {w}", drag: "Drag the tip of w, or set w₀:", optimal: "Optimal", "eps-optimal": "Optimal to eps", separated: "Separated",
    "not separable": "Not separable", "budget spent": "Budget spent", "not separated": "Not separated", "not decided within rounding": "Not decided within rounding",
    saysep: "All {n} vectors are on their side. The margin is at least {lower}; no w has more than {upper}.",
    saynot: "No w separates these data: a convex combination of {k} vectors is zero. {v} of {n} are on the wrong side.",
    saysoft: "With C = {C} this w costs at most {upper}, and none costs less than {lower}.", saybudget: "{v} of {n} vectors are on the wrong side; {reason}.",
    saynov: "Novikoff allows a perceptron at most {n} updates; {k} were made.", keys: "← → step, space plays, Home and End jump", options: "Options",
    degree: "degree", gaussians: "Gaussians", boundsr: "r of w, and its bound", ellipse: "the ellipse of Gaussian {j} with r = {r} is not on its side: w moves towards its lowest point", deciding: "Gaussians that decide: {list}",
    requires: "required: r = {r} (dashed)", trellis: "Trellis", change: "Change of w", changecaption: "before ○ and after ➤", largest: "the numbers of w", through: "In each node the score of the best labelling through it, before the update.",
    wrongwords: "{n} of {all} words not yet right", rightwords: "all {all} words right", ladder: "Ladder of bounds", vacuous: "a bound above 1 says nothing", rung: "This rung", choice: "Choice",
    s01: "empirical risk + confidence, S0 (1); each of {K} rungs has η / {K}", crossed: "cross-validated risk", chosen: "The smallest bound: {name}, {bound}.", allvacuous: "It is vacuous: no risk exceeds 1.",
    supposed: "As if the same risks had been seen on {N} examples; there were {n}.", ladderlegend: "blue: empirical risk · orange: confidence · green dot: cross-validated · green ground: chosen",
    reached: "Reached", impossible: "Impossible", infeasible: "Infeasible", interrupted: "Interrupted", "not proved": "Not proved", making: "Making the animation: {k} of {n}",
    rowsplane: "Rows", drawnall: "all {all} rows are drawn", drawnsome: "{n} of {all} rows are drawn, chosen at random; and those of the tables", marginsof: "How far all {all} rows are on their side", notpositive: "{n} of {all} are not on their side",
    across_distance: "signed distance from the hyperplane", across_score: "score g(x)", across_lead: "by how much the row’s class leads", alongrest: "first principal direction of the rest ({share} % of its variance)", alongall: "first principal direction ({share} % of the variance)", col_lead: "lead",
    ringed: "Dark edge: decided wrongly. Rings: worst violators (orange), support (green), equal rows with different labels (dashed).", carried: "The principal direction is mostly {list}.",
    clickrow: "Click a point or a row of a table: its cells come from your file.", row: "row {k}", therow: "row", col_class: "class", col_decided: "decided", col_distance: "distance", col_share: "share of the proof", col_group: "group",
    violators: "Worst violators", support: "Support points", opposites: "Equal rows with different labels", violatorssaid: "{n} of {on} rows are decided wrongly; the {shown} farthest on the wrong side:",
    supportsaid: "{n} of {of} training rows have a weight in the proof; the {shown} largest weights:", zerosumsaid: "A weighted mean of {n} of {of} training rows, those of one class mirrored, is zero: no hyperplane separates them. The {shown} largest weights:",
    oppositessaid: "{n} rows in {groups} groups are equal in all that the model reads, but not in their labels: any rule of these columns errs on at least {lost} of them.", noopposites: "There are none.", noviolators: "None of {on} rows is decided wrongly.",
    rowplace: "class {klass}, decided {decided}, at {x}.", wrongrow: "Wrong.",
  },
  cs: {
    lab: "laboratoř linsep", data: "Prostor dat", weights: "Prostor vah", bounds: "Meze pásma", value: "Kritérium J",
    errors: "Chyby vektoru w", novikoff: "Kroky a Novikovova mez", step: "Tento krok", certificate: "Certifikát",
    start: "Začátek", answer: "Výsledek", update: "krok {k} z {n}", beginning: "před prvním krokem", final: "výsledek",
    first: "Na začátek", back: "Zpět", play: "Přehrát", pause: "Zastavit", next: "Krok", last: "Na konec", speed: "Rychlost", jump: "Přejít na krok",
    rule: "Algoritmus", beside: "Vedle", none: "nic", preset: "Data", own: "vlastní body", hulls: "Obaly", strip: "Pásmo",
    numbers: "Čísla", hand: "Ručně", theme: "Tmavý", projector: "Projektor", language: "English", share: "Odkaz", copied: "zkopírováno",
    svg: "Snímek jako SVG", png: "Snímek jako PNG", json: "Záznam (JSON)", csv: "Kroky (CSV)", code: "Kód v Pythonu", exports: "Export",
    gif: "Animace (GIF)", visited: "na řadě je {x}", rows: "krok z {n} vektorů", all: "započítáno je všech {n} vektorů",
    wrong: "⟨w, a⟩ ≤ {goal}: podmínka je porušena, w se pohne", should: "⟨w, a⟩ má být {goal}", bias: "w₀ = {w0}",
    slice: "řez pro {rest}", cone: "každé w odtud data odděluje", empty: "žádné w tohoto řezu data neodděluje", meanscone: "každé w odtud má všechny střední hodnoty na jejich straně: r > 0", meansempty: "žádné w tohoto řezu nemá všechny střední hodnoty na jejich straně",
    upper: "horní", lower: "dolní", updates: "kroky", visits: "návštěvy", bound: "Novikov: {n}", wrongside: "{n} z {all} na špatné straně",
    right: "všech {all} na své straně", distance: "vzdálenost od nadroviny se znaménkem", principal: "první hlavní směr",
    ambiguous: "žádná třída, nebo více", region: "rozhodnuto pro {c}", nosteps: "Tento algoritmus řeší úlohu najednou; nejsou kroky ke sledování.",
    budget: "Záznam zde končí, protože došel rozpočet; algoritmus by pokračoval.", complete: "Algoritmus skončil sám.",
    proof: "Slovy knihovny", meet: "Tento bod leží v obou obalech: žádná přímka je nerozdělí.", nearest: "Nejbližší body obou obalů.",
    unchecked: "Jak bylo zaznamenáno; zde neověřeno.", nearesteps: "Dva body obalů; polovina jejich vzdálenosti je nejvýše o {gap} větší než nejmenší možná.", bounding: "Dva body obalů: žádné pásmo není větší než polovina jejich vzdálenosti.",
    support: "Důkazem je {n} řádků.", lifted: "V rovině: {f} = 0", member: "člen {k}: {sides}", against: "{a} proti {b}", rest: "ostatní",
    violates: "{a} proti {b}", paste: "Vložit nebo přetáhnout CSV", tool: "Nástroj", add: "Přidat", move: "Posunout", remove: "Smazat", relabel: "Přeznačit",
    clear: "Vymazat", klass: "Třída", loading: "Python zaznamenává … Poprvé se překládá, což trvá několik sekund.", csvhelp: "Čísla, značka třídy poslední; první řádek smí mít názvy.", use: "Použít", cancel: "Zrušit",
    toobig: "Soubor má {mb} MB; laboratoř bere nejvýše {most}.", toomany: "Laboratoř bere nejvýše {n} bodů, dostala {got}.",
    badcsv: "Řádek {line}: čekám {n} čísel a značku, je tam „{cell}“.", short: "Jsou potřeba aspoň dvě třídy. Nakreslete body další třídy.",
    badrecording: "Toto není záznam linsep: {why}", unreachable: "Python neodpovídá. Běží ještě linsep lab?",
    exercise: "Cvičení", question: "Otázka {k} z {n}", yes: "Ano", no: "Ne", check: "Ověřit", results: "Uložit výsledky", correct: "Správně.", incorrect: "Není to tak.",
    qnext: "Který bod způsobí příští krok? Klikněte na něj.", qhand: "Táhněte hrot w v prostoru vah, až bude každý bod na své straně.",
    qsep: "Může přímka obě třídy oddělit?", left: "ještě {n} na špatné straně", done: "Všechny otázky jsou zodpovězeny.", proceed: "Další otázka",
    handw: "vaše w = {w}", drag: "Táhněte hrot w, nebo nastavte w₀:", optimal: "Optimální", "eps-optimal": "Optimální až na eps", separated: "Odděleno",
    "not separable": "Nelze oddělit", "budget spent": "Rozpočet došel", "not separated": "Neodděleno", "not decided within rounding": "Nerozhodnuto v mezích zaokrouhlení",
    saysep: "Všech {n} vektorů je na své straně. Pásmo je aspoň {lower}; žádné w nemá větší než {upper}.",
    saynot: "Žádné w tato data neoddělí: konvexní kombinace {k} vektorů je nulová. Na špatné straně je {v} z {n}.",
    saysoft: "S C = {C} stojí toto w nejvýše {upper} a žádné nestojí méně než {lower}.", saybudget: "Na špatné straně je {v} z {n} vektorů; {reason}.",
    saynov: "Novikov dovoluje perceptronu nejvýše {n} kroků; provedeno jich bylo {k}.", keys: "← → krok, mezerník přehrává, Home a End skáčou", options: "Možnosti",
    degree: "stupeň", gaussians: "Gaussovská rozdělení", boundsr: "r vektoru w a jeho mez", ellipse: "elipsa rozdělení {j} s r = {r} není na své straně: w se pohne k jejímu nejnižšímu bodu", deciding: "rozhodují rozdělení: {list}",
    requires: "požadováno: r = {r} (čárkovaně)", trellis: "Mřížka", change: "Změna w", changecaption: "před ○ a po ➤", largest: "čísla vektoru w", through: "V každém uzlu je skóre nejlepšího značení, které jím prochází, před krokem.",
    wrongwords: "{n} z {all} slov ještě není správně", rightwords: "všech {all} slov správně", ladder: "Žebřík mezí", vacuous: "mez nad 1 nic neříká", rung: "Tato příčka", choice: "Volba",
    s01: "empirické riziko + spolehlivost, S0 (1); každá z {K} příček má η / {K}", crossed: "riziko z křížové validace", chosen: "Nejmenší mez: {name}, {bound}.", allvacuous: "Nic neříká: žádné riziko není nad 1.",
    supposed: "Jako by táž rizika byla na {N} příkladech; bylo jich {n}.", ladderlegend: "modře: empirické riziko · oranžově: spolehlivost · zelený bod: křížová validace · zelené pozadí: zvoleno",
    reached: "Dosaženo", impossible: "Nelze", infeasible: "Neřešitelné", interrupted: "Přerušeno", "not proved": "Nedokázáno", making: "Dělám animaci: {k} z {n}",
    rowsplane: "Řádky", drawnall: "nakresleno je všech {all} řádků", drawnsome: "nakresleno je {n} z {all} řádků, náhodně vybraných, a řádky tabulek", marginsof: "Jak daleko na své straně je všech {all} řádků", notpositive: "{n} z {all} není na své straně",
    across_distance: "vzdálenost od nadroviny se znaménkem", across_score: "skóre g(x)", across_lead: "o kolik vede třída řádku", alongrest: "první hlavní směr zbytku ({share} % jeho rozptylu)", alongall: "první hlavní směr ({share} % rozptylu)", col_lead: "náskok",
    ringed: "Tmavý okraj: chybně rozhodnuto. Kroužky: nejhorší řádky (oranžově), podpůrné (zeleně), stejné řádky s různými značkami (čárkovaně).", carried: "Hlavní směr je hlavně {list}.",
    clickrow: "Klikněte na bod nebo na řádek tabulky: jeho buňky jsou z vašeho souboru.", row: "řádek {k}", therow: "řádek", col_class: "třída", col_decided: "rozhodnuto", col_distance: "vzdálenost", col_share: "podíl v důkazu", col_group: "skupina",
    violators: "Nejhorší řádky", support: "Podpůrné řádky", opposites: "Stejné řádky s různými značkami", violatorssaid: "Chybně rozhodnuto je {n} z {on} řádků; {shown} nejdále na špatné straně:",
    supportsaid: "V důkazu má váhu {n} z {of} trénovacích řádků; {shown} největších vah:", zerosumsaid: "Vážený průměr {n} z {of} trénovacích řádků, jedné třídy zrcadlených, je nula: žádná nadrovina je neoddělí. {shown} největších vah:",
    oppositessaid: "{n} řádků v {groups} skupinách je stejných ve všem, co model čte, ale ne ve značkách: každé pravidlo z těchto sloupců chybuje aspoň na {lost} z nich.", noopposites: "Žádné nejsou.", noviolators: "Žádný z {on} řádků není rozhodnut chybně.",
    rowplace: "třída {klass}, rozhodnuto {decided}, v {x}.", wrongrow: "Chybně.",
  },
};

const RULE_NAMES_CS = {
  "perceptron": "perceptron", "batch perceptron": "dávkový perceptron", "perceptron eta(k)": "perceptron s η(k) = 1/k", "perceptron with margin": "perceptron s pásmem b",
  "pocket": "perceptron s kapsou", "averaged perceptron": "průměrovaný perceptron", "relaxation": "relaxace", "batch relaxation": "dávková relaxace",
  "lms": "Widrow–Hoff (LMS)", "ho-kashyap": "Ho–Kashyap", "squares by gradient": "nejmenší čtverce gradientem", "gradient descent": "gradient J_p",
  "kozinec": "Kozinec", "kozinec augmented": "Kozinec, rozšířený", "eps-kozinec": "ε-Kozinec", "eps-kozinec augmented": "ε-Kozinec, rozšířený",
  "maximum margin": "největší pásmo", "soft margin": "měkké pásmo", "linear machine": "lineární stroj", "one versus all": "jeden proti všem",
  "one versus one": "jeden proti jednomu", "anderson": "Anderson, přesně", "anderson by directions": "Anderson, zlepšující směry", "kozinec on ellipsoids": "Kozinec na elipsách", "perceptron on ellipsoids": "perceptron na elipsách",
  "structured perceptron": "strukturní perceptron", "structured kozinec": "strukturní Kozinec", "structural risk": "strukturní riziko", "lifting": "zvedání dimenze", "lifting to x^2 - 1": "zvedání na (x, x² − 1)",
};
const RULE_NAMES_EN = { "perceptron eta(k)": "batch perceptron, η(k) = 1/k", "lms": "Widrow–Hoff (LMS)", "ho-kashyap": "Ho–Kashyap", "squares by gradient": "least squares by gradient",
  "gradient descent": "gradient descent on J_p", "kozinec": "Kozinec", "kozinec augmented": "Kozinec, augmented", "eps-kozinec": "ε-Kozinec",
  "eps-kozinec augmented": "ε-Kozinec, augmented", "lifting to x^2 - 1": "lifting to (x, x² − 1)", "anderson": "Anderson, exact", "anderson by directions": "Anderson, improving directions" };

let language = "en";

export function setLanguage(code) { language = Object.hasOwn(STRINGS, code) ? code : "en"; document.documentElement.lang = language; }
export function getLanguage() { return language; }

export function t(key, values = {}) {
  const found = STRINGS[language][key] ?? STRINGS.en[key] ?? key;
  return found.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

export function ruleName(name) {
  const names = language === "cs" ? RULE_NAMES_CS : RULE_NAMES_EN;
  return names[name] ?? name;
}

// Numbers as the lectures print them: up to `digits` significant ones, a true minus sign.
export function fmt(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let said = size !== 0 && (size >= 1e6 || size < 1e-4) ? value.toExponential(Math.max(digits - 2, 0)) : String(Number(value.toPrecision(digits)));
  if (said === "-0") said = "0";
  return said.replace("e+", "e").replace(/-/g, "−");
}

// Bounds in words: a lower one rounded down, an upper one rounded up, unless it is a round number but for 1e-12 of it.
export function fmtBound(value, up, digits = 6) {
  if (!Number.isFinite(value) || value === 0) return fmt(value, digits);
  const near = Number(value.toPrecision(digits)), over = up ? value - near : near - value;
  if (over <= 1e-12 * Math.abs(value)) return fmt(near, digits);
  const unit = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return fmt(near + (up ? unit : -unit), digits);
}

export function fmtVector(values, digits = 4) { return `(${Array.from(values, (v) => fmt(v, digits)).join(", ")})`; }
