"""Looks at the source of a tool without running it and says what its author should change. Runs inside the sandbox."""
import ast
import re
import sys

MAX_CHARACTERS = 10_000
MAX_COMPLEXITY = 10
MAX_LINES = 80
MAX_NESTING = 4

ALLOWED_IMPORTS = {
    "__future__", "abc", "array", "asyncio", "base64", "binascii", "bisect", "calendar", "cmath", "collections", "colorsys",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools", "hashlib",
    "heapq", "hmac", "html", "itertools", "json", "keyword", "logging", "math", "numbers", "operator", "pprint", "random", "re",
    "reachy", "secrets", "statistics", "string", "struct", "textwrap", "time", "timeit", "typing", "unicodedata", "urllib.parse",
    "cv2", "numpy", "reachy_mini", "reachy_mini.utils", "uuid", "warnings", "xml.etree.ElementTree",
}
INSTEAD = {
    "os": "files given to the tool are read with open('/files/<name>')", "sys": "", "subprocess": "ask for a robot tool", "socket": "ask for the tool search_web",
    "requests": "ask for the tool search_web", "urllib": "only urllib.parse is there", "threading": "use asyncio", "multiprocessing": "use asyncio",
    "ctypes": "", "pickle": "use json", "marshal": "use json", "shelve": "use json", "tempfile": "keep data in variables", "pathlib": "use open('/files/<name>')",
    "importlib": "import at the top of the file", "inspect": "", "gc": "", "builtins": "",
}
FORBIDDEN_NAMES = {
    "eval": "use json.loads or ast-free parsing", "exec": "write the code out", "compile": "write the code out", "__import__": "import at the top of the file",
    "globals": "use parameters", "locals": "use parameters", "vars": "name the attributes", "getattr": "write the attribute out", "setattr": "assign the attribute",
    "delattr": "do not delete attributes", "input": "take a parameter", "breakpoint": "remove it", "help": "remove it", "memoryview": "use bytes",
    "exit": "return instead", "quit": "return instead", "__builtins__": "remove it", "__loader__": "remove it", "__spec__": "remove it",
}
ALLOWED_DUNDERS = {"__init__", "__name__", "__doc__", "__post_init__", "__str__", "__repr__", "__len__", "__iter__", "__next__", "__enter__", "__exit__",
                   "__eq__", "__lt__", "__hash__", "__call__", "__add__", "__sub__", "__mul__", "__contains__", "__getitem__", "__bool__", "__aenter__", "__aexit__", "__future__", "__annotations__"}
INTROSPECTION = {"f_back", "f_globals", "f_locals", "f_builtins", "f_code", "gi_frame", "gi_code", "cr_frame", "cr_code", "ag_frame", "tb_frame", "tb_next", "co_code", "mro",
                 "func_globals", "func_code"}
SIMPLE = {"int": {"type": "integer"}, "float": {"type": "number"}, "str": {"type": "string"}, "bool": {"type": "boolean"}, "None": {"type": "null"}}
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
DUNDER = re.compile(r"__\w+__\Z")


class NotInSchema(Exception):
    """A hint that a strict JSON schema cannot carry."""


class Checker:
    def __init__(self, source, name, mode, imports, calls):
        self.source, self.name, self.strict = source, name, mode == "strict"
        self.imports_allowed, self.calls_known = ALLOWED_IMPORTS | set(imports), set(calls)
        self.findings, self.imports, self.calls = [], [], []
        self.classes, self.function = {}, None
        self.schema = self.returns = None
        self.summary, self.documented = "", {}

    # lenient turns an error of style into a warning.
    def add(self, code, severity, node, message, fix, style=False):
        if style and not self.strict and severity == "error":
            severity = "warning"
        line, column = (node if isinstance(node, tuple) else (getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1))
        self.findings.append({"code": code, "severity": severity, "line": line, "column": column, "message": message, "fix": fix})

    def check(self):
        if len(self.source) > MAX_CHARACTERS:
            self.add("C002", "error", (1, 1), f"{len(self.source)} characters of source, allowed {MAX_CHARACTERS}", "Split the tool into several that call each other.")
        try:
            tree = ast.parse(self.source)
        except SyntaxError as e:
            self.add("S001", "error", (e.lineno or 1, e.offset or 1), f"This is not valid Python: {e.msg}.", "Correct this line, or the one before it.")
            return self.report(None)
        except (ValueError, RecursionError, MemoryError) as e:
            self.add("S001", "error", (1, 1), f"This cannot be read as Python: {type(e).__name__} {e}", "Simplify the source and remove unprintable characters.")
            return self.report(None)
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self.check_top(tree)
        self.check_everything(tree)
        if self.function is not None:
            self.check_doc(self.function)
            self.check_signature(self.function)
            self.check_care(self.function)
        return self.report(tree)

    # What stands at the top: definitions, imports, constants, and one public function.
    def check_top(self, tree):
        public = []
        for i, node in enumerate(tree.body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if not node.name.startswith("_"):
                    public.append(node)
                if node.decorator_list and not self.harmless_decorators(node):
                    self.add("X002", "error", node.decorator_list[0], "Decorators run when the tool is loaded.", "Remove the decorator, or use one of dataclass, functools.cache and functools.lru_cache.")
            elif isinstance(node, (ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)):
                pass
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                if i > 0:
                    self.add("X003", "info", node, "A string that nothing uses.", "Make it a comment.")
            elif isinstance(node, (ast.Assign, ast.AnnAssign)) and (node.value is None or self.constant(node.value)):
                pass
            elif isinstance(node, ast.If) and self.main_guard(node):
                self.add("X004", "warning", node, "A tool is not run as a program, so this is never reached.", "Remove the block.")
            else:
                self.add("X001", "error", node, "This does work when the tool is loaded.", "Move it into the function; at the top only imports, constants, classes and functions may stand.")
        named = [f for f in public if f.name == self.name] if self.name else public[:1]
        if not named:
            there = ", ".join(f.name for f in public) or "none"
            self.add("N001", "error", (1, 1), f"There is no public function {self.name!r}; public functions: {there}.", f"Name the function {self.name!r}." if self.name else "Write one function whose name does not begin with _.")
        else:
            self.function = named[-1]
        for f in public:
            if f is not self.function:
                self.add("N002", "error", f, f"A second public function {f.name!r}; a tool has exactly one.", f"Rename it to _{f.name}.", style=True)
            if not SNAKE.match(f.name) or len(f.name) > 64:
                self.add("N003", "error", f, f"The name {f.name!r} is not snake_case of at most 64 characters.", f"Rename it to {snake(f.name)}.")

    @staticmethod
    def harmless_decorators(node):
        return all(ast.unparse(d).split("(")[0] in ("functools.cache", "functools.lru_cache", "cache", "lru_cache") for d in node.decorator_list)

    @staticmethod
    def main_guard(node):
        return ast.unparse(node.test).replace('"', "'") in ("__name__ == '__main__'", "'__main__' == __name__")

    def constant(self, node):
        """Values that need nothing run but arithmetic, containers and a few harmless constructors."""
        harmless = {"re.compile", "frozenset", "set", "dict", "list", "tuple", "range", "math.radians", "math.sqrt", "datetime.timedelta", "timedelta", "logging.getLogger",
                    "TypeVar", "namedtuple", "collections.namedtuple", "Literal", "float", "int", "str", "asyncio.Lock", "Decimal", "Fraction"}
        for n in ast.walk(node):
            if isinstance(n, ast.Call) and ast.unparse(n.func) not in harmless:
                return False
            if isinstance(n, (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)):
                return isinstance(n, (ast.ListComp, ast.SetComp, ast.DictComp))
            if isinstance(n, ast.BinOp) and isinstance(n.op, (ast.Pow, ast.LShift)):
                return False
        return True

    # What may stand nowhere.
    def check_everything(self, tree):
        defined = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        reported = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for a in node.names:
                    self.check_import(node, a.name)
                    bound = a.asname or a.name.split(".")[0]
                    if bound not in used:
                        self.add("W007", "info", node, f"{bound} is imported and not used.", "Remove the import.")
            elif isinstance(node, ast.ImportFrom):
                self.check_import_from(node, used)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in FORBIDDEN_NAMES and node.id not in defined:
                self.add("F001", "error", node, f"{node.id} is not allowed in a tool.", sentence(FORBIDDEN_NAMES[node.id]))
            elif isinstance(node, ast.Name) and DUNDER.match(node.id) and node.id not in ALLOWED_DUNDERS and node.id not in FORBIDDEN_NAMES:
                self.add("F001", "error", node, f"{node.id} is not allowed in a tool.", "Remove it.")
            elif isinstance(node, ast.Attribute):
                self.check_attribute(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (m := re.search(r"__(class|subclasses|globals|builtins|bases|base|mro|import|code|dict|getattribute|reduce\w*)__", node.value)):
                self.add("F003", "error", node, f"The text {m.group()} looks like an attempt to reach into the interpreter.", "Remove it.")
            elif isinstance(node, ast.ExceptHandler):
                self.check_handler(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if id(node) not in reported:
                    self.check_function(node)
                    reported.add(id(node))
            elif isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value and not any(isinstance(n, (ast.Break, ast.Return, ast.Raise)) for n in ast.walk(node)):
                self.add("W005", "error", node, "This loop has no way out.", "Add a condition, break or return.", style=True)
            elif isinstance(node, (ast.Global, ast.Nonlocal)) and isinstance(node, ast.Global):
                self.add("W008", "warning", node, "Nothing is kept from one call to the next, so a global variable is of little use.", "Return the value or take it as a parameter.")
            if isinstance(node, ast.Call):
                self.note_call(node)

    def check_import(self, node, name):
        if name not in self.imports:
            self.imports.append(name)
        top = name.split(".")[0]
        if name in self.imports_allowed or (top in self.imports_allowed and top in ("collections", "reachy", "asyncio", "reachy_mini", "numpy", "PIL")):
            return
        fix = INSTEAD.get(top, "")
        known = sorted(m for m in self.imports_allowed if m != "__future__")
        self.add("I001", "error", node, f"The module {name} is not available to tools.", sentence(fix) if fix else "Use one of: " + ", ".join(known) + ".")

    def check_import_from(self, node, used):
        if node.level:
            self.add("I002", "error", node, "A tool is a single file; there is nothing to import from beside it.", "Put the code into this file.")
            return
        if node.module in ("urllib", "xml", "xml.etree"):
            for a in node.names:
                self.check_import(node, f"{node.module}.{a.name}")
        else:
            self.check_import(node, node.module)
        for a in node.names:
            if a.name == "*":
                self.add("I003", "error", node, "It cannot be seen which names this brings.", f"Write: import {node.module}, or name what is needed.", style=True)
            elif DUNDER.match(a.name) or a.name.startswith("_"):
                self.add("F002", "error", node, f"{a.name} of {node.module} is private.", "Use what the module offers publicly.")
            elif a.name in ("sys", "os") or (node.module == "asyncio" and "subprocess" in a.name):
                self.add("F002", "error", node, f"{a.name} is not available to tools.", "Remove it.")
            elif (a.asname or a.name) not in used and node.module != "__future__":
                self.add("W007", "info", node, f"{a.asname or a.name} is imported and not used.", "Remove the import.")

    def check_attribute(self, node):
        name = node.attr
        if (DUNDER.match(name) and name not in ALLOWED_DUNDERS) or name in INTROSPECTION:
            self.add("F002", "error", node, f"The attribute {name} reaches into the interpreter.", "Remove it.")
        elif name.startswith("_") and not DUNDER.match(name) and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            self.add("F002", "error", node, f"The attribute {name} is private to someone else.", "Use the public interface.", style=True)
        elif isinstance(node.value, ast.Name) and node.value.id in self.imports and (name in ("sys", "os", "subprocess", "builtins") or name.startswith("create_subprocess")):
            self.add("F002", "error", node, f"{node.value.id}.{name} is not available to tools.", "Remove it.")

    def check_handler(self, node):
        if node.type is None:
            self.add("W002", "error", node, "This also catches what should end the tool.", "Write: except Exception as e, or better the exception that is expected.", style=True)
        elif isinstance(node.type, ast.Name) and node.type.id == "BaseException":
            self.add("W002", "error", node, "This also catches what should end the tool.", "Catch Exception or something narrower.", style=True)
        if all(isinstance(n, ast.Pass) or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in node.body):
            self.add("W003", "warning", node, "The error is ignored.", "Return a message or raise it again.")

    def note_call(self, node):
        called = ast.unparse(node.func)
        name = called.removeprefix("reachy.")
        if called == "reachy.call" and node.args and isinstance(node.args[0], ast.Constant):
            name = str(node.args[0].value)
        elif name not in self.calls_known:
            return
        if name not in self.calls:
            self.calls.append(name)

    def check_function(self, node):
        n = complexity(node)
        if n > MAX_COMPLEXITY:
            self.add("C001", "error", node, f"{node.name} has a cyclomatic complexity of {n}, allowed {MAX_COMPLEXITY}.", "Move parts of it into functions of their own.", style=True)
        lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if lines > MAX_LINES:
            self.add("C003", "warning", node, f"{node.name} has {lines} lines, {MAX_LINES} are plenty.", "Move parts of it into functions of their own.")
        if (depth := nesting(node)) > MAX_NESTING:
            self.add("C004", "warning", node, f"{node.name} nests blocks {depth} deep.", "Return early, or move the inner part into a function of its own.")
        for default in node.args.defaults + [d for d in node.args.kw_defaults if d]:
            if isinstance(default, (ast.List, ast.Dict, ast.Set, ast.Call)):
                self.add("W006", "warning", default, "A default that can be changed is shared by all calls.", "Use None and make the value inside of the function.")

    # The docstring, in the style of Google; :param: is understood too.
    def check_doc(self, node):
        doc = ast.get_docstring(node)
        if not doc or not doc.strip():
            self.add("D001", "error", node, f"{node.name} has no docstring.", 'Begin the function with """One sentence.""", then Args: and Returns:.', style=True)
            return
        where = node.body[0]
        self.summary = doc.strip().splitlines()[0].strip()
        if len(self.summary) < 8:
            self.add("D002", "error", where, "The first line of the docstring says too little.", "Say in one sentence what the tool does.", style=True)
        section, returns = "", False
        for line in doc.splitlines():
            text = line.strip()
            if m := re.match(r"(Args|Arguments|Parameters|Params|Returns?|Raises|Yields|Examples?|Notes?):?\s*\Z", text, re.I):
                section = m.group(1).lower()
                returns = returns or section.startswith("return")
            elif m := re.match(r":param\s+(?:[\w\[\], |]+\s)?(\w+):\s*(.*)", text):
                self.documented[m.group(1)] = m.group(2)
            elif re.match(r":returns?:", text) or re.match(r"Returns?:\s+\S", text, re.I):
                returns, section = True, "returns"
            elif section in ("args", "arguments", "parameters", "params") and (m := re.match(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)", text)):
                self.documented[m.group(1)] = m.group(2)
                last = m.group(1)
            elif section in ("args", "arguments", "parameters", "params") and text and self.documented:
                self.documented[last] += " " + text
        parameters = [a.arg for a in all_args(node)]
        if missing := [p for p in parameters if not self.documented.get(p)]:
            self.add("D003", "error", where, f"The docstring does not say what {', '.join(missing)} {'is' if len(missing) == 1 else 'are'}.", "Add under Args: a line for each, name: what it is, with its unit.", style=True)
        if unknown := [p for p in self.documented if p not in parameters]:
            self.add("D005", "warning", where, f"The docstring describes {', '.join(unknown)}, which the function does not take.", "Bring the docstring and the parameters in line.")
        if not returns and not (isinstance(node.returns, ast.Constant) and node.returns.value is None):
            self.add("D004", "error", where, "The docstring does not say what is returned.", "Add a section Returns:.", style=True)

    # The signature, which becomes the JSON schema.
    def check_signature(self, node):
        a = node.args
        for v, stars in ((a.vararg, "*"), (a.kwarg, "**")):
            if v:
                self.add("T004", "error", v, f"{stars}{v.arg} cannot be described in a schema.", "Name every parameter.")
        for p in a.posonlyargs:
            self.add("T006", "error", p, f"{p.arg} can only be given by position, tools are called by name.", "Remove the / from the parameters.")
        defaults = dict(zip(reversed([p.arg for p in a.posonlyargs + a.args]), reversed(a.defaults)))
        defaults.update({p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults) if d is not None})
        properties, required = {}, []
        for p in all_args(node):
            if p.annotation is None:
                self.add("T001", "error", p, f"The parameter {p.arg} has no type hint.", f"Write {p.arg}: int, float, str, bool, list[...] or dict[str, ...].")
                schema = {}
            else:
                schema = self.hint(p.annotation, f"the parameter {p.arg}")
            if text := self.documented.get(p.arg, "").strip():
                schema = {**schema, "description": text}
            if p.arg in defaults:
                try:
                    value = ast.literal_eval(defaults[p.arg])
                    if isinstance(value, (tuple, set)):
                        value = list(value)
                    if isinstance(value, (type(None), bool, int, float, str, list, dict)):
                        schema = {**schema, "default": value}
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    self.add("T005", "warning", defaults[p.arg], f"The default of {p.arg} is not a plain value and is missing from the schema.", "Use a plain value, or None.")
            else:
                required.append(p.arg)
            properties[p.arg] = schema
        self.schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        if node.returns is None:
            self.add("T002", "error", node, f"{node.name} does not say what type it returns.", "Write -> and the type after the parameters.", style=True)
        else:
            self.returns = self.hint(node.returns, "the result", result=True)

    def hint(self, node, what, result=False):
        try:
            schema = self.to_schema(node)
        except NotInSchema as e:
            if result and ast.unparse(node) in ("Any", "typing.Any", "object"):
                self.add("T007", "warning", node, "The hint of the result says nothing.", "Say what is returned.")
                return {}
            self.add("T003", "error", node, f"The type hint of {what}, {ast.unparse(node)}, cannot be written as a JSON schema: {e}.", "Use int, float, str, bool, None, list[...], dict[str, ...], Literal, Optional, an Enum, a TypedDict or a dataclass.")
            return {}
        except RecursionError:
            self.add("T003", "error", node, f"The type hint of {what} refers to itself.", "Write it out.")
            return {}
        if schema in ({"type": "array"}, {"type": "object"}):
            self.add("T007", "warning", node, f"The hint of {what}, {ast.unparse(node)}, does not say what is in it.", f"Write {ast.unparse(node)}[...].")
        return schema

    def to_schema(self, node, depth=0):
        if depth > 8:
            raise NotInSchema("it is nested too deep or refers to itself")
        sub = lambda n: self.to_schema(n, depth + 1)
        if isinstance(node, ast.Constant) and node.value is None:
            return {"type": "null"}
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                return sub(ast.parse(node.value, mode="eval").body)
            except SyntaxError:
                raise NotInSchema("it is not a type") from None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return union([sub(node.left), sub(node.right)])
        name = ast.unparse(node.value if isinstance(node, ast.Subscript) else node).removeprefix("typing.").removeprefix("collections.abc.")
        if isinstance(node, ast.Name) and node.id in SIMPLE:
            return dict(SIMPLE[node.id])
        if isinstance(node, ast.Name) and node.id in self.classes:
            return self.class_schema(self.classes[node.id], sub)
        if isinstance(node, (ast.Name, ast.Attribute)):
            if name in ("list", "List", "Sequence", "Iterable", "tuple", "Tuple"):
                return {"type": "array"}
            if name in ("dict", "Dict", "Mapping"):
                return {"type": "object"}
            raise NotInSchema(f"{name} is not a JSON type")
        if not isinstance(node, ast.Subscript):
            raise NotInSchema("it is not a type")
        args = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("list", "List", "Sequence", "Iterable") and len(args) == 1:
            return {"type": "array", "items": sub(args[0])}
        if name in ("tuple", "Tuple"):
            if len(args) == 2 and isinstance(args[1], ast.Constant) and args[1].value is Ellipsis:
                return {"type": "array", "items": sub(args[0])}
            return {"type": "array", "prefixItems": [sub(a) for a in args], "minItems": len(args), "maxItems": len(args)}
        if name in ("dict", "Dict", "Mapping") and len(args) == 2:
            if ast.unparse(args[0]) != "str":
                raise NotInSchema("keys of JSON objects are str")
            value = {} if ast.unparse(args[1]) in ("Any", "typing.Any", "object") else sub(args[1])
            return {"type": "object", "additionalProperties": value or True}
        if name == "Optional" and len(args) == 1:
            return union([sub(args[0]), {"type": "null"}])
        if name == "Union":
            return union([sub(a) for a in args])
        if name == "Literal":
            try:
                values = [ast.literal_eval(a) for a in args]
            except ValueError:
                raise NotInSchema("Literal wants plain values") from None
            return {"enum": values}
        if name == "Annotated" and args:
            schema = sub(args[0])
            texts = [a.value for a in args[1:] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            return {**schema, "description": texts[0]} if texts else schema
        raise NotInSchema(f"{name}[...] is not a JSON type")

    def class_schema(self, node, sub):
        bases = {ast.unparse(b).split(".")[-1] for b in node.bases}
        if bases & {"Enum", "StrEnum", "IntEnum"}:
            try:
                return {"enum": [ast.literal_eval(n.value) for n in node.body if isinstance(n, ast.Assign)]}
            except ValueError:
                raise NotInSchema("the members of an Enum must be plain values") from None
        data = any(ast.unparse(d).split("(")[0].split(".")[-1] == "dataclass" for d in node.decorator_list)
        if not data and "TypedDict" not in bases:
            raise NotInSchema("a class must be an Enum, a TypedDict or a dataclass")
        fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
        return {"type": "object", "properties": {f.target.id: sub(f.annotation) for f in fields}, "required": [f.target.id for f in fields if f.value is None], "additionalProperties": False}

    # Care that a robot deserves.
    def check_care(self, node):
        checked = {n.id for test in ast.walk(node) if isinstance(test, (ast.If, ast.Assert, ast.IfExp, ast.While, ast.Match)) for n in ast.walk(test.subject if isinstance(test, ast.Match) else test.test) if isinstance(n, ast.Name)}
        checked |= {n.id for c in ast.walk(node) if isinstance(c, ast.Call) and ast.unparse(c.func) in ("min", "max", "isinstance", "len") or isinstance(c, ast.Call) and ast.unparse(c.func).startswith(("_check", "_validate", "check_", "validate_")) for a in c.args for n in ast.walk(a) if isinstance(n, ast.Name)}
        loose = [a.arg for a in all_args(node) if a.annotation is not None and ast.unparse(a.annotation) in ("int", "float") and a.arg not in checked]
        if loose:
            self.add("W001", "warning", node, f"{', '.join(loose)}: any number is accepted.", "Check the range and raise ValueError with what is allowed.")
        if self.calls and not any(isinstance(n, ast.Try) for n in ast.walk(node)):
            self.add("W004", "warning", node, "What the robot refuses ends the tool with a traceback.", "Put calls of the robot into try and return a message.")

    def report(self, tree):
        functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))] if tree else []
        self.findings.sort(key=lambda f: (f["line"], f["column"], f["code"]))
        f = self.function
        return {
            "findings": self.findings,
            "function": f.name if f else "",
            "async": isinstance(f, ast.AsyncFunctionDef),
            "schema": self.schema,
            "returns": self.returns,
            "summary": self.summary,
            "imports": self.imports,
            "calls": sorted(self.calls),
            "metrics": {
                "characters": len(self.source),
                "lines": len(self.source.splitlines()),
                "functions": len(functions),
                "complexity": max(map(complexity, functions), default=0),
                "documented": (bool(self.summary) + sum(1 for a in all_args(f) if self.documented.get(a.arg))) / (1 + len(all_args(f))) if f else 0.0,
            },
        }


def all_args(node):
    return [a for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]


def union(schemas):
    flat = []
    for s in schemas:
        for t in s.get("anyOf", [s]):
            if t not in flat:
                flat.append(t)
    if len(flat) == 1:
        return flat[0]
    if all(set(t) == {"type"} for t in flat):
        return {"type": [t["type"] for t in flat]}
    return {"anyOf": flat}


def complexity(function):
    """Ways through a function by McCabe: one, and one more for every decision. Functions inside count for themselves."""
    n, todo = 1, list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp, ast.Assert)):
            n += 1
        elif isinstance(node, ast.BoolOp):
            n += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            n += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case) and not (isinstance(node.pattern, ast.MatchAs) and node.pattern.pattern is None):
            n += 1
        todo.extend(ast.iter_child_nodes(node))
    return n


def nesting(function):
    deepest, todo = 0, [(n, 0) for n in function.body]
    while todo:
        node, depth = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inside = depth + isinstance(node, (ast.If, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.With, ast.AsyncWith, ast.Match))
        deepest = max(deepest, inside)
        for name, child in ast.iter_fields(node):
            elif_ = name == "orelse" and isinstance(node, ast.If) and len(child) == 1 and isinstance(child[0], ast.If)
            if isinstance(child, list):
                todo.extend((c, depth if elif_ else inside) for c in child if isinstance(c, ast.AST))
    return deepest


def snake(name):
    s = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return re.sub(r"[^a-z0-9]+", "_", s).strip("_") or "tool"


def sentence(text):
    return text[:1].upper() + text[1:] + "." if text else "Remove it."


def check(source: str, name: str, mode: str, imports: list, calls: list) -> dict:
    return Checker(source, name, mode, imports, calls).check()
