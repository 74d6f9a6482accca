export {
	AmbientLight, BoxGeometry, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight, Group, HemisphereLight, Matrix4, Mesh,
	MeshStandardMaterial, PerspectiveCamera, Quaternion, Scene, SphereGeometry, TorusGeometry, Vector3, WebGLRenderer, GridHelper,
} from "three";
