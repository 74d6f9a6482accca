// The robot drawn from its nine joints and the pose of its head: metres, x forward, y left, z up.
import { get, library } from "/page/core.js";

const deg = Math.PI / 180;

// draw returns {pose(state), ghost(goal)}; it draws only when something has changed.
export async function draw(page, canvas, note) {
	const T = await library("three", note);
	if (!T) return null;
	const g = await get("/robot/geometry");
	let renderer;
	try {
		renderer = new T.WebGLRenderer({ canvas, antialias: true, alpha: true });
	} catch {
		note.append("This browser draws no 3D (WebGL).");
		return null;
	}
	page.leave.push(() => renderer.dispose());
	const scene = new T.Scene(), camera = new T.PerspectiveCamera(32, 4 / 3, 0.01, 5);
	camera.up.set(0, 0, 1);
	let turn = 0.5, lift = 0.25;
	const look = () => {
		const r = 0.95;
		camera.position.set(r * Math.cos(lift) * Math.cos(turn), r * Math.cos(lift) * Math.sin(turn), 0.18 + r * Math.sin(lift));
		camera.lookAt(0, 0, 0.16);
	};
	look();
	scene.add(new T.HemisphereLight(0xffffff, 0x8899aa, 2));
	const sun = new T.DirectionalLight(0xffffff, 2);
	sun.position.set(1, 1, 2);
	scene.add(sun);
	const grid = new T.GridHelper(0.8, 16, 0x888888, 0x888888);
	grid.rotation.x = Math.PI / 2;
	grid.material.opacity = 0.3;
	grid.material.transparent = true;
	scene.add(grid);
	const paint = (color, opacity = 1) => new T.MeshStandardMaterial({ color, roughness: 0.6, transparent: opacity < 1, opacity });
	const white = paint(0xe9ebee), dark = paint(0x2b2f36), steel = paint(0x9aa3ad), eye = paint(0x0d0f12);
	const cylinder = (r0, r1, h, material) => {
		const m = new T.Mesh(new T.CylinderGeometry(r0, r1, h, 32), material);
		m.rotation.x = Math.PI / 2;
		return m;
	};
	const foot = cylinder(0.065, 0.075, 0.02, dark);
	foot.position.z = 0.01;
	const body = new T.Group(), trunk = cylinder(0.05, 0.062, 0.075, white), front = new T.Mesh(new T.BoxGeometry(0.01, 0.03, 0.02), dark);
	trunk.position.z = 0.055;
	front.position.set(0.058, 0, 0.05);
	body.add(trunk, front);
	scene.add(foot, body);
	const stick = (r, material) => { const m = new T.Mesh(new T.CylinderGeometry(r, r, 1, 10), material); scene.add(m); return m; };
	const arms = g.motors.map(() => stick(0.005, dark)), rods = g.motors.map(() => stick(0.003, steel));
	const joints = g.motors.map(() => { const m = new T.Mesh(new T.SphereGeometry(0.006, 12, 8), steel); scene.add(m); return m; });
	const up = new T.Vector3(0, 1, 0);
	const between = (mesh, a, b) => {
		const d = b.clone().sub(a);
		mesh.position.copy(a).addScaledVector(d, 0.5);
		mesh.scale.y = d.length();
		mesh.quaternion.setFromUnitVectors(up, d.normalize());
	};
	const makeHead = (shell, lens) => {
		const head = new T.Group(), skull = new T.Mesh(new T.SphereGeometry(0.062, 32, 20), shell), plate = cylinder(0.034, 0.034, 0.006, dark);
		skull.scale.set(0.75, 1.25, 0.8);
		skull.position.z = 0.048;
		head.add(skull, plate);
		for (const side of [1, -1]) {
			const ball = new T.Mesh(new T.SphereGeometry(0.019, 20, 14), lens);
			ball.position.set(0.04, side * 0.032, 0.052);
			head.add(ball);
		}
		head.antennas = [1, -1].map((side) => {
			const pivot = new T.Group(), rod = new T.Mesh(new T.CylinderGeometry(0.0022, 0.0022, 0.11, 8), dark), tip = new T.Mesh(new T.SphereGeometry(0.006, 10, 8), dark);
			rod.rotation.x = Math.PI / 2;
			rod.position.z = 0.055;
			tip.position.z = 0.11;
			pivot.add(rod, tip);
			pivot.position.set(-0.012, side * 0.045, 0.085);
			head.add(pivot);
			return pivot;
		});
		scene.add(head);
		return head;
	};
	const head = makeHead(white, eye), ghost = makeHead(paint(0x3b82f6, 0.28), paint(0x3b82f6, 0.28));
	ghost.visible = false;
	const place = (h, pose, antennas) => {
		const m = new T.Matrix4().makeRotationZ((pose.yaw || 0) * deg)
			.multiply(new T.Matrix4().makeRotationY((pose.pitch || 0) * deg)).multiply(new T.Matrix4().makeRotationX((pose.roll || 0) * deg));
		h.setRotationFromMatrix(m);
		h.position.set(pose.x || 0, pose.y || 0, (pose.z || 0) + g.head_height);
		if (antennas) {
			h.antennas[0].rotation.x = -(antennas.left || 0) * deg;
			h.antennas[1].rotation.x = -(antennas.right || 0) * deg;
		}
		h.updateMatrixWorld();
	};
	let waiting = false;
	const render = () => {
		waiting = false;
		const w = canvas.clientWidth, h = canvas.clientHeight, ratio = Math.min(devicePixelRatio, 2);
		if (!w || !h) return;
		if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(h * ratio)) {
			renderer.setPixelRatio(ratio);
			renderer.setSize(w, h, false);
			camera.aspect = w / h;
			camera.updateProjectionMatrix();
		}
		renderer.render(scene, camera);
		canvas.dataset.frames = Number(canvas.dataset.frames || 0) + 1;
	};
	const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(render); } };
	let dragging = null;
	canvas.addEventListener("pointerdown", (e) => { dragging = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); });
	canvas.addEventListener("pointerup", () => { dragging = null; });
	canvas.addEventListener("pointermove", (e) => {
		if (!dragging) return;
		turn -= (e.clientX - dragging[0]) / 120;
		lift = Math.max(-0.1, Math.min(1.4, lift + (e.clientY - dragging[1]) / 150));
		dragging = [e.clientX, e.clientY];
		look();
		soon();
	});
	const watcher = new ResizeObserver(soon);
	watcher.observe(canvas);
	page.leave.push(() => watcher.disconnect());
	let last = "";
	return {
		pose(s) {
			const key = JSON.stringify([s.joints, s.head, s.antennas]);
			if (key === last) return;
			last = key;
			const yaw = s.joints[0] || 0, c = Math.cos(yaw), n = Math.sin(yaw);
			body.rotation.z = yaw;
			place(head, s.head, s.antennas);
			g.motors.forEach((m, k) => {
				const a = s.joints[k + 1] || 0, reach = g.arm_length * Math.cos(a);
				const turned = (x, y, z) => new T.Vector3(c * x - n * y, n * x + c * y, z);
				const motor = turned(...m);
				const tip = turned(m[0] + reach * g.along[k][0], m[1] + reach * g.along[k][1], m[2] - g.arm_length * Math.sin(a) * g.sides[k]);
				const end = new T.Vector3(...g.ends[k]).applyMatrix4(head.matrixWorld);
				between(arms[k], motor, tip);
				between(rods[k], tip, end);
				joints[k].position.copy(tip);
			});
			canvas.dataset.yaw = s.head.yaw;
			soon();
		},
		ghost(goal) {
			ghost.visible = !!goal;
			if (goal) place(ghost, goal.head || {}, goal.antennas);
			soon();
		},
	};
}
